import type { App, Client } from '../app.js';
import type { ApiRequest } from '../http/types.js';

/** What sessions and audit keep of a request. */
export const clientOf = (request: ApiRequest): Client => ({
  requestId: request.id,
  userAgent: request.userAgent,
  ip: request.clientIp,
});

/** Audience of a request that carries no token: X-JWT-AUD, else JWT_AUD (reference/core.md 6.6). */
export const audienceOf = (app: Pick<App, 'config'>, request: ApiRequest): string =>
  request.header('x-jwt-aud') || app.config.jwtAudience;

/** Where a link is to lead: the query first, then the header of that name (reference/core.md 3.1). */
export const redirectOf = (request: ApiRequest): string | null =>
  request.query.get('redirect_to') || request.header('redirect_to') || null;
