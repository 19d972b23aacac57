/** The access-log entry of an answered request. */
import type { ApiError } from '../errors.js';
import type { Exchange } from './exchange.js';
import { METHODS } from './guard.js';
import type { AccessEntry } from './options.js';

/**
 * After a Content-Length that is too small the engine reads the rest of a body as the next request line, for example
 * "…secret"}POST /token". So neither method nor path is reported for a request with an unknown method (SEC-71).
 */
export function describeRequest(exchange: Exchange, status: number, error: ApiError | undefined): AccessEntry {
  const isRequestLine = METHODS.has(exchange.method);
  return {
    requestId: exchange.id,
    method: isRequestLine ? exchange.method : 'other',
    route: exchange.route,
    params: exchange.params,
    path: isRequestLine ? exchange.rawPath : '',
    grantType: exchange.grantType,
    status,
    durationMs: performance.now() - exchange.startedAt,
    remoteAddress: exchange.clientIp ?? '',
    errorCode: error?.errorCode,
    limit: error?.limit,
    cause: status >= 500 ? error?.cause : undefined,
  };
}

/** The grant type, if it looks like one: other values may contain secrets (SEC-71). */
export function readGrantType(query: ReadonlyMap<string, string>): string | undefined {
  const grantType = query.get('grant_type');
  return grantType !== undefined && /^[a-z_]{1,20}$/.test(grantType) ? grantType : undefined;
}
