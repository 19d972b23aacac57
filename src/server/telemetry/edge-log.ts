import type { AccessEntry, EdgeLog } from '../http/options.js';
import type { Log } from './log.js';

/** Writes what the HTTP room reports (operations.md 6): one line a request, its cause beside it on 5xx. */
export function edgeLog(log: Log): EdgeLog {
  return {
    request(entry) {
      const level = entry.status >= 500 ? 'error' : entry.status >= 400 ? 'warn' : 'info';
      if (log.isLevelEnabled(level)) log[level](fieldsOf(entry), 'request completed');
    },
    error({ requestId, route, message, cause }) {
      log.error({ component: 'api', request_id: requestId, route, ...describeCause(cause) }, message);
    },
  };
}

function fieldsOf(entry: AccessEntry): Record<string, unknown> {
  return {
    component: 'api',
    request_id: entry.requestId,
    method: entry.method,
    route: entry.route,
    path: entry.path,
    ...(entry.grantType === undefined ? {} : { grant_type: entry.grantType }),
    status: entry.status,
    duration_ms: Math.round(entry.durationMs * 1000) / 1000,
    remote_addr: entry.remoteAddress,
    ...(entry.errorCode === undefined ? {} : { error_code: entry.errorCode }),
    ...(entry.limit === undefined ? {} : { limit: entry.limit }),
    ...(entry.status >= 500 ? describeCause(entry.cause) : {}),
  };
}

/**
 * An error as it may be logged: name, message, code and stack, and those of its causes. Never its other members, since
 * database errors carry values of rows in `detail`.
 */
export function describeCause(cause: unknown): Record<string, unknown> {
  if (cause === undefined) return {};
  if (!(cause instanceof Error))
    return { error: typeof cause === 'string' ? cause : 'a value that is not an error was thrown' };
  const { code } = cause as { code?: unknown };
  return {
    error: `${cause.name}: ${cause.message}`,
    ...(typeof code === 'string' ? { error_cause_code: code } : {}),
    stack: cause.stack,
    ...(cause.cause === undefined ? {} : { cause: describeCause(cause.cause) }),
  };
}
