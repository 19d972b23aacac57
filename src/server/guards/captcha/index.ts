/** Captcha (docs/decisions.md, Captcha). Endpoint definitions say which requests need one. */
import type { Config } from '../../config/settings.js';
import { apiError } from '../../errors.js';
import type { ApiRequest } from '../../http/types.js';
import type { Log } from '../../telemetry/log.js';
import { logSparsely } from '../../telemetry/sparse-log.js';
import { type CaptchaResult, callCaptchaService } from './call.js';
import type { CaptchaService } from './contract.js';
import { hcaptcha } from './hcaptcha.js';
import { turnstile } from './turnstile.js';

const services: Readonly<Record<Config['securityCaptchaProvider'], CaptchaService>> = { hcaptcha, turnstile };

/** Tokens of both services are less than half as long. */
const MAX_TOKEN_CHARACTERS = 8192;

export interface CaptchaOptions {
  readonly config: Pick<
    Config,
    'securityCaptchaProvider' | 'securityCaptchaSecret' | 'securityCaptchaUrl' | 'securityCaptchaTimeoutSeconds'
  >;
  /** Whether a bearer token is an administrator's, who needs no captcha. */
  readonly isAdmin: (bearerToken: string) => Promise<boolean>;
  readonly log: Pick<Log, 'error'>;
}

export interface Captcha {
  /**
   * @param request its body has the fields `captcha_token` and `gotrue_meta_security`, not validated
   * @throws ApiError captchaMissing, captchaFailed, or captchaUnavailable when there is no result (SEC-78)
   */
  verify(request: Pick<ApiRequest, 'body' | 'clientIp' | 'bearerToken'>): Promise<void>;
}

export function openCaptcha({ config, isAdmin, log }: CaptchaOptions): Captcha {
  const service = services[config.securityCaptchaProvider];
  const url = config.securityCaptchaUrl || service.url;
  const secret = config.securityCaptchaSecret.trim();
  const timeoutSeconds = config.securityCaptchaTimeoutSeconds;

  async function call(token: string, clientIp: string | null): Promise<CaptchaResult> {
    try {
      return await callCaptchaService({ url, secret, token, clientIp, timeoutSeconds });
    } catch (error) {
      const cause = new Error(
        `No result from ${service.name}, so the request is rejected. Check AUTH_SECURITY_CAPTCHA_URL and AUTH_SECURITY_CAPTCHA_TIMEOUT.`,
        { cause: error },
      );
      throw apiError('captchaUnavailable', {}, { cause });
    }
  }

  return {
    async verify(request) {
      const { bearerToken } = request;
      if (bearerToken !== null && (await isAdmin(bearerToken))) return;
      const token = readCaptchaToken(request.body);
      if (token === '') throw apiError('captchaMissing');
      if (token.length > MAX_TOKEN_CHARACTERS) throw apiError('captchaFailed', { reasons: 'invalid-input-response' });
      const { isPassed, reasons } = await call(token, request.clientIp);
      if (isPassed) return;
      if (reasons.some((reason) => service.secretFaults.includes(reason))) {
        logSparsely(
          log,
          'error',
          'captcha',
          { component: 'captcha', service: service.name, reasons },
          'The captcha service does not accept our secret: check AUTH_SECURITY_CAPTCHA_SECRET and AUTH_SECURITY_CAPTCHA_PROVIDER',
        );
      }
      throw apiError('captchaFailed', { reasons: reasons.join(', ') || 'no reason given' });
    },
  };
}

/** The nested field, which clients of supabase/auth use, else the top-level one. @returns trimmed; '' for none */
function readCaptchaToken(body: unknown): string {
  const { captcha_token: top, gotrue_meta_security: meta } = (body ?? {}) as Record<string, unknown>;
  const nested = (meta as { captcha_token?: unknown } | null | undefined)?.captcha_token;
  for (const token of [nested, top]) if (typeof token === 'string' && token.trim() !== '') return token.trim();
  return '';
}
