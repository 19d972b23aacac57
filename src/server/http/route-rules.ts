/** What the definition of a route asks of a request. */
import { type ApiError, apiError } from '../errors.js';
import type { Exchange } from './exchange.js';
import { parseJsonObject } from './json.js';
import type { RouteEntry } from './router.js';
import type { ApiRequest, Route } from './types.js';

/** The validated body of a request to an endpoint with a schema. @throws ApiError */
export function readBody<Context>(
  exchange: Exchange,
  { route, readBody: read }: RouteEntry<Context>,
): Record<string, unknown> {
  const bytes = exchange.body;
  if (bytes.length === 0 && route.bodyOptional === true) return read!({}, route.badBody);
  return read!(parseJsonObject(bytes, route.badBody), route.badBody);
}

export const asksForCaptcha = <Context>({ captcha }: Route<Context>, request: ApiRequest): boolean =>
  typeof captcha === 'function' ? captcha(request) : captcha === true;

export function methodNotAllowed(method: string, allowed: string): ApiError {
  return apiError('methodNotAllowed', { method, allowed }, { headers: { Allow: allowed } });
}
