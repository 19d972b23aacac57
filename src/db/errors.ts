/**
 * Errors between the server and Postgres, classified by what the caller can do. Messages contain neither SQL nor host,
 * since they may reach a client; the original error is in `cause`, for the log.
 */
import { ExpectedError } from '../expected-error.js';

/** Postgres cannot be reached, is starting or stopping, or took longer than allowed. Answered 503 (REL-01, REL-06). */
export class DatabaseUnavailableError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';
  /** False where there was no connection to send the statement by, so it has changed nothing. */
  readonly wasSent: boolean;

  constructor(cause: unknown, message = 'The database cannot be reached right now.', wasSent = true) {
    super(message, { cause });
    this.wasSent = wasSent;
    this.name = 'DatabaseUnavailableError';
  }
}

/** Not all migrations are applied yet, or Postgres has not said so since the start. Answered 503 (REL-30). */
export class SchemaNotReadyError extends DatabaseUnavailableError {
  /** @param cause why the schema could not be read */
  constructor(cause?: DatabaseUnavailableError) {
    super(cause?.cause, cause?.message ?? 'The schema of the database is still being made.');
    this.name = 'SchemaNotReadyError';
  }
}

/** Every connection is busy, and the queue is full or too slow. Answered 503 (REL-05). */
export class PoolExhaustedError extends ExpectedError {
  readonly code = 'POOL_EXHAUSTED';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds = 1) {
    super('All database connections are busy.');
    this.retryAfterSeconds = retryAfterSeconds;
    this.name = 'PoolExhaustedError';
  }
}

/** Fields of a pg error (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
export interface SqlError extends Error {
  readonly code: string;
  readonly severity: string;
  /** Without the namespace prefix, which the pool removes. */
  constraint?: string;
  table?: string;
  readonly routine?: string;
}

/** True for an error that Postgres reported; its `code` is a SQLSTATE. */
export function isSqlError(error: unknown): error is SqlError {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as Partial<SqlError>;
  return typeof severity === 'string' && typeof code === 'string' && code.length === 5;
}

/**
 * What a function raises on purpose tells nothing about connection, time or plan, whatever SQLSTATE it chose. The routine of Postgres
 * is that of PL/pgSQL's `raise`, also after it was caught and raised again.
 */
const stateOf = ({ code, routine }: SqlError): string => (routine === 'exec_stmt_raise' ? '' : code);

const sqlState = (error: unknown): string | undefined => (isSqlError(error) ? stateOf(error) : undefined);

// 57P01–57P05: shutdown, crash, still starting, database dropped, idle session ended. 53300: no connection slot left.
// 25P03: idle in transaction. 25006: read-only, so the server is a standby or was demoted (REL-02).
const BROKEN_STATES = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '53300', '25P03', '25006']);

const BROKEN_SOCKETS = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN EADDRNOTAVAIL'.split(
    ' ',
  ),
);

// pg's errors without a code. 'Query read timeout' is the client's timer for a server that stopped responding.
const BROKEN_MESSAGES =
  /^(Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout expired)/;

/** Postgres has no room to write, or a quota of its disk is used up: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
export const isDiskFull = (error: unknown): boolean => isSqlError(error) && error.code === '53100';

/** True when the connection must not be used again (REL-02). */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state.startsWith('08') || BROKEN_STATES.has(state);
  if (!(error instanceof Error)) return false;
  return BROKEN_SOCKETS.has((error as NodeJS.ErrnoException).code ?? '') || BROKEN_MESSAGES.test(error.message);
}

/** True when pg rejected the query before sending it, because the client was already broken. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && !isSqlError(error) && /is not queryable$/.test(error.message);
}

/**
 * True when statement_timeout (57014), lock_timeout (55P03) or the client's timer ended the statement. The database is
 * too slow right now, so a retry would take as long again (REL-06).
 */
export function isTimeout(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state === '57014' || state === '55P03';
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * True for serialization failure and deadlock, and on a cluster for a lost worker, a lost shard and a session that has moved: Postgres
 * rolled back, so a retry is safe (REL-03).
 */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01' || isClusterChanging(error);
}

/** True while a worker of a cluster fails over, or shards are split or moved: the next try finds what there is by then. */
export function isClusterChanging(error: unknown): boolean {
  return isWorkerLost(error) || isShardLost(error) || hasSessionMoved(error);
}

/** True when a session was given to another shard while its change waited, which then changed nothing (sql/citus/access.sql). */
const hasSessionMoved = (error: unknown): boolean => isSqlError(error) && error.code === 'LK002';

/** True when the plan of a coordinator of Citus names a shard that has just been split: "could not find valid entry for shard". */
export const isShardLost = (error: unknown): boolean =>
  isSqlError(error) && error.code === 'XX000' && SHARD_LOOKUPS.has(error.routine ?? '');

const SHARD_LOOKUPS = new Set(['LookupShardIdCacheEntry', 'LookupShardRelationFromCatalog']);

/**
 * True when the connection that a coordinator of Citus has kept to a worker broke before the commit, as after a fail-over of the worker:
 * "failure on connection marked as essential", an internal error by its SQLSTATE. The next try opens another one.
 */
function isWorkerLost(error: unknown): boolean {
  return isSqlError(error) && error.code === 'XX000' && error.routine === 'MarkRemoteTransactionFailed';
}

/**
 * True when the server does not have a prepared statement any more, or its plan is stale; nothing has run then. 26000
 * and 42P05 come from a pooler that moves us to another connection, a stale plan from a concurrent migration (REL-08).
 */
export function isStatementLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === '26000' || state === '42P05' || isPlanStale(error);
}

/**
 * True when a statement does not find its table or column, or may not use it: a trigger or function of the application has left
 * another search path, role or temporary table in the session. Nothing has run then, and another connection is as it ought to be.
 */
export function isSessionChanged(error: unknown): boolean {
  if (!isSqlError(error) || (error as { where?: string }).where !== undefined) return false;
  return SESSION_STATES.has(stateOf(error));
}

// Undefined table, column, function, operator, schema; type mismatch; no permission.
const SESSION_STATES = new Set(['42P01', '42703', '42883', '3F000', '42804', '42501']);

/** True for "cached plan must not change result type". The message is localised, the routine is not. */
export function isPlanStale(error: unknown): boolean {
  return isSqlError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/** True before the first migration. */
export function isMissingTable(error: unknown): boolean {
  return isSqlError(error) && error.code === '42P01';
}

/** @param constraint name without namespace; absent: any */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isSqlError(error) && error.code === '23505' && (constraint === undefined || error.constraint === constraint);
}

/** @param constraint name without namespace; absent: any */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isSqlError(error) && error.code === '23503' && (constraint === undefined || error.constraint === constraint);
}
