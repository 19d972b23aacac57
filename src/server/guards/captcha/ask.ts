/** The call to a captcha service (reference/core.md 10). */
import { callOut } from '../../outbound.js';

export interface CaptchaQuestion {
  readonly url: string;
  readonly secret: string;
  readonly token: string;
  readonly clientIp: string | null;
  readonly timeoutSeconds: number;
}

/** What the service says of a token. */
export interface CaptchaVerdict {
  readonly isPassed: boolean;
  /** Its `error-codes`. */
  readonly reasons: readonly string[];
}

/** Codes of both services are such words; anything else has no business in an answer of ours. */
const REASON = /^[a-z0-9-]{1,64}$/i;
const MOST_REASONS = 10;

/**
 * Asks once; the status of the answer means nothing, its JSON does.
 * @throws OutboundError, or Error for an answer that is not the service's: neither is a yes (SEC-78)
 */
export async function askCaptchaService(question: CaptchaQuestion): Promise<CaptchaVerdict> {
  const form = new URLSearchParams({ secret: question.secret, response: question.token });
  if (question.clientIp !== null) form.set('remoteip', question.clientIp);
  const { text } = await callOut({
    url: question.url,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: form.toString(),
    totalSeconds: question.timeoutSeconds,
  });
  return readVerdict(text);
}

function readVerdict(text: string): CaptchaVerdict {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error('The captcha service answered something that is not JSON');
  }
  const { success, 'error-codes': codes } = (answer ?? {}) as { success?: unknown; 'error-codes'?: unknown };
  if (typeof success !== 'boolean') throw new Error('The captcha service answered without a verdict');
  const reasons = Array.isArray(codes) ? codes.filter((code) => typeof code === 'string' && REASON.test(code)) : [];
  return { isPassed: success, reasons: reasons.slice(0, MOST_REASONS) };
}
