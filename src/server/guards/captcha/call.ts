/** The call to a captcha service. */
import { callOut } from '../../outbound/outbound.js';

export interface CaptchaCall {
  readonly url: string;
  readonly secret: string;
  readonly token: string;
  readonly clientIp: string | null;
  readonly timeoutSeconds: number;
}

/** The service's result for a token. */
export interface CaptchaResult {
  readonly isPassed: boolean;
  /** Its `error-codes`. */
  readonly reasons: readonly string[];
}

/** Error codes of both services; anything else must not reach a client. */
const REASON = /^[a-z0-9-]{1,64}$/i;
const MAX_REASONS = 10;

/**
 * Calls the service once, and reads the JSON whatever the status is.
 * @throws OutboundError, or Error for an unexpected answer; the captcha is not passed then (SEC-78)
 */
export async function callCaptchaService(question: CaptchaCall): Promise<CaptchaResult> {
  const form = new URLSearchParams({ secret: question.secret, response: question.token });
  if (question.clientIp !== null) form.set('remoteip', question.clientIp);
  const { text } = await callOut({
    url: question.url,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: form.toString(),
    totalSeconds: question.timeoutSeconds,
  });
  return parseResult(text);
}

function parseResult(text: string): CaptchaResult {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error('The captcha service answered something that is not JSON');
  }
  const { success, 'error-codes': codes } = (answer ?? {}) as { success?: unknown; 'error-codes'?: unknown };
  if (typeof success !== 'boolean') throw new Error('The captcha service answered without a result');
  const reasons = Array.isArray(codes) ? codes.filter((code) => typeof code === 'string' && REASON.test(code)) : [];
  return { isPassed: success, reasons: reasons.slice(0, MAX_REASONS) };
}
