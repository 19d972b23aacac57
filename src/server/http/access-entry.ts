/** The access-log entry of an answered request. */
import type { ApiError } from '../errors.js';
import type { AccessEntry, FaultEntry } from '../telemetry/edge.js';
import type { Exchange } from './exchange.js';
import { METHODS } from './guard.js';
import type { RequestRefusal } from './options.js';

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

/**
 * With the method of the endpoint, by which its checks are explained: that of HEAD is GET.
 * @param error of the answer, which tells it as JSON, as a page, or in a redirect
 */
export function describeRefusal(exchange: Exchange, status: number, error: ApiError): RequestRefusal {
  const { requestId, method: asked, route, grantType, remoteAddress } = describeRequest(exchange, status, error);
  const { step, caller } = exchange.refusedAt;
  const method = asked === 'HEAD' && route !== null ? 'GET' : asked;
  return { requestId, method, route, grantType, remoteAddress, status, error, step, caller };
}

/** A handler that failed after its client was gone or its deadline. */
export const describeLateFault = (exchange: Exchange, error: ApiError): FaultEntry => ({
  requestId: exchange.id,
  route: exchange.route,
  message: 'A handler failed after its request was over',
  cause: error.cause ?? error,
});

/** The grant type, if it looks like one: other values may contain secrets (SEC-71). */
export function readGrantType(query: ReadonlyMap<string, string>): string | undefined {
  const grantType = query.get('grant_type');
  return grantType !== undefined && /^[a-z0-9_]{1,20}$/.test(grantType) ? grantType : undefined;
}
