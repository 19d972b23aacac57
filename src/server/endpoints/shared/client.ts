import { apiError } from '../../errors.js';
import type { ApiRequest } from '../../http/types.js';
import type { App, Client } from '../../runtime/app.js';

/**
 * The parts of a request that sessions and audit events store, the proof of a trusted device, and the organization that a
 * sign-in names.
 */
export const clientOf = (request: ApiRequest): Client => ({
  requestId: request.id,
  userAgent: request.userAgent,
  ip: request.clientIp,
  trustedDeviceToken: readDeviceToken(request.body),
  organizationId: (request.body as { organization_id?: string } | null | undefined)?.organization_id,
});

/** Only endpoints with `takesTrustedDevice` have the field, which is not validated. */
function readDeviceToken(body: unknown): string | undefined {
  const security = (body as { gotrue_meta_security?: { trusted_device_token?: unknown } } | null | undefined)
    ?.gotrue_meta_security;
  const token = security?.trusted_device_token;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** Limited by the maximum size of an index entry, about 2,700 bytes in Postgres. */
const AUDIENCE = /^[\x20-\x7e]{1,255}$/;

/**
 * Audience of a public request: X-JWT-AUD if JWT_AUDIENCES lists it, else JWT_AUD. With an arbitrary audience anyone
 * could get tokens for it and occupy addresses there (SEC-85).
 * @throws ApiError invalidParameter, audienceNotAllowed
 */
export function audienceOf(app: Pick<App, 'config'>, request: ApiRequest): string {
  const { jwtAudience, jwtAudiences } = app.config;
  const audience = adminAudienceOf(app, request);
  if (audience === jwtAudience || jwtAudiences.includes(audience) || jwtAudiences.includes('*')) return audience;
  throw apiError('audienceNotAllowed');
}

/**
 * Audience of an administrator's request: any X-JWT-AUD, else JWT_AUD.
 * @throws ApiError invalidParameter
 */
export function adminAudienceOf(app: Pick<App, 'config'>, request: ApiRequest): string {
  const audience = request.header('x-jwt-aud');
  if (!audience) return app.config.jwtAudience;
  if (!AUDIENCE.test(audience)) {
    throw apiError('invalidParameter', { reason: 'X-JWT-AUD must be at most 255 characters of ASCII' });
  }
  return audience;
}

/**
 * Target of a link or redirect: the header `redirect_to`, else the query parameter, else Referer, each only if allowed,
 * else SITE_URL (docs/decisions.md, Redirect targets). A rejected one is logged and is not an error.
 * @param first from the body; preferred to the others
 */
export function redirectOf(app: Pick<App, 'redirects' | 'log'>, request: ApiRequest, first?: string): string {
  const requested = request.header('redirect_to') || request.query.get('redirect_to');
  const { url, rejected } = app.redirects.choose([first, requested, request.header('referer')]);
  for (const { reason } of rejected) {
    app.log.debug({ component: 'redirects', request_id: request.id, reason }, 'A redirect target was refused');
  }
  return url;
}

/** Target after a sign-in at a provider: EXTERNAL_REDIRECTURL overrides the allowed target. */
export const applicationOf = ({ config }: Pick<App, 'config'>, redirectTo: string): string =>
  config.externalRedirectUrl || redirectTo;
