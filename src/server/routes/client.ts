import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import type { ApiRequest } from '../http/types.js';

/** What sessions and audit keep of a request. */
export const clientOf = (request: ApiRequest): Client => ({
  requestId: request.id,
  userAgent: request.userAgent,
  ip: request.clientIp,
});

/** An index holds it: Postgres takes entries of up to 2,700 bytes there. */
const AUDIENCE = /^[\x20-\x7e]{1,255}$/;

/**
 * Audience of a request that anybody may send: X-JWT-AUD where JWT_AUDIENCES lists it, else JWT_AUD. With one of their
 * own making strangers would get tokens for it, and hold addresses where their owners do not look (SEC-85).
 * @throws Refusal invalidParameter, audienceNotAllowed
 */
export function audienceOf(app: Pick<App, 'config'>, request: ApiRequest): string {
  const { jwtAudience, jwtAudiences } = app.config;
  const audience = operatorAudienceOf(app, request);
  if (audience === jwtAudience || jwtAudiences.includes(audience) || jwtAudiences.includes('*')) return audience;
  throw refuse('audienceNotAllowed');
}

/**
 * Audience of an operator's request: X-JWT-AUD, whatever it is, else JWT_AUD.
 * @throws Refusal invalidParameter
 */
export function operatorAudienceOf(app: Pick<App, 'config'>, request: ApiRequest): string {
  const asked = request.header('x-jwt-aud');
  if (!asked) return app.config.jwtAudience;
  if (!AUDIENCE.test(asked)) {
    throw refuse('invalidParameter', { reason: 'X-JWT-AUD must be at most 255 characters of ASCII' });
  }
  return asked;
}

/**
 * Where a link or redirect leads: the header `redirect_to`, else the query parameter, else the Referer, each only if it
 * is allowed, else SITE_URL (delivery.md 5.6). A refused one is never an error; the log says why.
 * @param first asked before all of these, where a body may name a target
 */
export function redirectOf(app: Pick<App, 'redirects' | 'log'>, request: ApiRequest, first?: string): string {
  const asked = request.header('redirect_to') || request.query.get('redirect_to');
  const { url, refused } = app.redirects.choose([first, asked, request.header('referer')]);
  for (const { reason } of refused) {
    app.log.debug({ component: 'redirects', request_id: request.id, reason }, 'A redirect target was refused');
  }
  return url;
}

/** Where a sign-in at a provider ends, whatever came of it: EXTERNAL_REDIRECTURL wins over the checked target. */
export const applicationOf = ({ config }: Pick<App, 'config'>, redirectTo: string): string =>
  config.externalRedirectUrl || redirectTo;
