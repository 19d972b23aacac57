/** Captcha (reference/core.md 10, decisions.md 23 and 27): which requests ask for one is said in the table of routes. */
import type { Config } from '../../config/settings.js';
import { refuse } from '../../errors.js';
import type { ApiRequest } from '../../http/types.js';
import type { Log } from '../../telemetry/log.js';
import { askCaptchaService, type CaptchaVerdict } from './ask.js';
import type { CaptchaService } from './contract.js';
import { hcaptcha } from './hcaptcha.js';
import { turnstile } from './turnstile.js';

const services: Readonly<Record<Config['securityCaptchaProvider'], CaptchaService>> = { hcaptcha, turnstile };

/** Tokens of both services are shorter than half of this. */
const MOST_TOKEN_CHARACTERS = 8192;

export interface CaptchaOptions {
  readonly config: Pick<
    Config,
    'securityCaptchaProvider' | 'securityCaptchaSecret' | 'securityCaptchaUrl' | 'securityCaptchaTimeoutSeconds'
  >;
  /** Whether a bearer token is an operator's: then no captcha is asked for. */
  readonly isAdmin: (bearerToken: string) => Promise<boolean>;
  readonly log: Pick<Log, 'error'>;
}

export interface Captcha {
  /**
   * @param request its body holds the fields `captcha_token` and `gotrue_meta_security` as they came
   * @throws Refusal captchaMissing, captchaFailed, or captchaUnavailable: without a yes nobody passes (SEC-78)
   */
  verify(request: Pick<ApiRequest, 'body' | 'clientIp' | 'bearerToken'>): Promise<void>;
}

export function openCaptcha({ config, isAdmin, log }: CaptchaOptions): Captcha {
  const service = services[config.securityCaptchaProvider];
  const url = config.securityCaptchaUrl || service.url;
  const secret = config.securityCaptchaSecret.trim();
  const timeoutSeconds = config.securityCaptchaTimeoutSeconds;

  async function ask(token: string, clientIp: string | null): Promise<CaptchaVerdict> {
    try {
      return await askCaptchaService({ url, secret, token, clientIp, timeoutSeconds });
    } catch (error) {
      const cause = new Error(
        `No verdict from ${service.name}; without one nobody passes. AUTH_SECURITY_CAPTCHA_URL says whom to ask, AUTH_SECURITY_CAPTCHA_TIMEOUT how long to wait.`,
        { cause: error },
      );
      throw refuse('captchaUnavailable', {}, { cause });
    }
  }

  return {
    async verify(request) {
      const { bearerToken } = request;
      if (bearerToken !== null && (await isAdmin(bearerToken))) return;
      const token = readCaptchaToken(request.body);
      if (token === '') throw refuse('captchaMissing');
      if (token.length > MOST_TOKEN_CHARACTERS) throw refuse('captchaFailed', { reasons: 'invalid-input-response' });
      const { isPassed, reasons } = await ask(token, request.clientIp);
      if (isPassed) return;
      if (reasons.some((reason) => service.secretFaults.includes(reason))) {
        log.error(
          { component: 'captcha', service: service.name, reasons },
          'The captcha service does not accept our secret: check AUTH_SECURITY_CAPTCHA_SECRET and AUTH_SECURITY_CAPTCHA_PROVIDER',
        );
      }
      throw refuse('captchaFailed', { reasons: reasons.join(', ') || 'no reason given' });
    },
  };
}

/** The nested field, where clients of the compatible peer put it, else the one at the top. @returns trimmed; '' for none */
function readCaptchaToken(body: unknown): string {
  const { captcha_token: top, gotrue_meta_security: meta } = (body ?? {}) as Record<string, unknown>;
  const nested = (meta as { captcha_token?: unknown } | null | undefined)?.captcha_token;
  for (const token of [nested, top]) if (typeof token === 'string' && token.trim() !== '') return token.trim();
  return '';
}
