import { ExpectedError } from '../../expected-error.js';
import type { AccessEntry, EdgeLog } from './edge.js';
import { type Log, quote } from './log.js';
import { logSparsely, openSparseLines } from './sparse-log.js';

/**
 * Writes the access log: one line per request, with its cause on 5xx. Of those that are refused for the moment it has one line a
 * second and kind (docs/decisions.md, Logs).
 */
export function edgeLog(log: Log): EdgeLog {
  const refused = openSparseLines();
  return {
    request(entry) {
      const level = levelOf(entry);
      if (!log.isLevelEnabled(level)) return;
      const write = (count?: number) => log.line(level, membersOf(entry, count), 'request completed');
      if (entry.status === 503) refused.add(kindOf(entry.errorCode, entry.cause), write);
      else write();
    },
    error({ requestId, route, message, cause }) {
      const fields = { component: 'api', request_id: requestId, route, ...describeCause(cause) };
      if (isExpected(cause)) logSparsely(log, 'warn', kindOf(message, cause), fields, message);
      else log.error(fields, message);
    },
  };
}

/** Too much work is no fault. */
const isExpected = (cause: unknown): boolean => cause instanceof ExpectedError;

function levelOf({ status, cause }: AccessEntry): 'info' | 'warn' | 'error' {
  if (status < 400) return 'info';
  const isShed = status === 503 && (cause === undefined || isExpected(cause));
  return status < 500 || isShed ? 'warn' : 'error';
}

const kindOf = (what: string | undefined, cause: unknown): string =>
  `${what ?? ''} ${cause instanceof Error ? cause.name : ''}`;

function membersOf(entry: AccessEntry, count: number | undefined): string {
  const { requestId, method, route, path, grantType, status, durationMs, remoteAddress, errorCode, limit, cause } =
    entry;
  const quotedPath = quote(path);
  const quotedRoute = route === path ? quotedPath : JSON.stringify(route);
  return (
    // A request id needs no escape (readRequestId of http/request.ts).
    `,"component":"api","request_id":"${requestId}","method":"${method}","route":${quotedRoute},"path":${quotedPath}` +
    (grantType === undefined ? '' : `,"grant_type":"${grantType}"`) +
    `,"status":${status},"duration_ms":${inMilliseconds(Math.round(durationMs * 1000))},"remote_addr":"${remoteAddress}"` +
    (errorCode === undefined ? '' : `,"error_code":"${errorCode}"`) +
    (limit === undefined ? '' : `,"limit":"${limit}"`) +
    (count === undefined ? '' : `,"count":${count}`) +
    (status < 500 || cause === undefined ? '' : `,${JSON.stringify(describeCause(cause)).slice(1, -1)}`)
  );
}

/** A JSON number with three decimals, made of integers: V8 takes 0.5 µs to format a fraction. */
function inMilliseconds(microseconds: number): string {
  const rest = microseconds % 1000;
  return `${(microseconds - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

/** First frame of a stack, after name and message. */
const FRAME = /\n {4}at /;

/**
 * An error as it may be logged: name, message, code and stack (see expected-error.ts), and those of its causes. Other
 * members are left out, since database errors have values of rows in `detail`.
 */
export function describeCause(cause: unknown): Record<string, unknown> {
  if (cause === undefined) return {};
  if (!(cause instanceof Error))
    return { error: typeof cause === 'string' ? cause : 'a value that is not an error was thrown' };
  const { code } = cause as { code?: unknown };
  return {
    error: `${cause.name}: ${cause.message}`,
    ...(typeof code === 'string' ? { error_cause_code: code } : {}),
    ...(FRAME.test(cause.stack ?? '') ? { stack: cause.stack } : {}),
    ...(cause.cause === undefined ? {} : { cause: describeCause(cause.cause) }),
  };
}
