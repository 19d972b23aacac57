/** What is told of a request once it has been answered. */
import type { Refusal } from '../errors.js';
import type { Exchange } from './exchange.js';
import { METHODS } from './guard.js';
import type { AccessEntry } from './options.js';

/**
 * A client that announces too short a body sends the rest of it as the next request line: "…secret"}POST /token". So of a
 * request whose method is none, neither method nor path is told (SEC-71).
 */
export function describeRequest(exchange: Exchange, status: number, refusal: Refusal | undefined): AccessEntry {
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
    errorCode: refusal?.errorCode,
    limit: refusal?.limit,
    cause: status >= 500 ? refusal?.cause : undefined,
  };
}

/** Only what looks like a grant: what else stands there may be anything, a secret too (SEC-71). */
export function readGrantType(query: ReadonlyMap<string, string>): string | undefined {
  const grantType = query.get('grant_type');
  return grantType !== undefined && /^[a-z_]{1,20}$/.test(grantType) ? grantType : undefined;
}
