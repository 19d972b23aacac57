/**
 * What can go wrong between here and Postgres, told apart by what it means for the caller.
 * Messages name neither SQL nor host: they may end up in an answer. The original error is in `cause`, for the log.
 */
import { ExpectedError } from '../expected-error.js';

/** Postgres cannot be reached, is starting or stopping, or took longer than allowed. Answered 503 (REL-01, REL-06). */
export class DatabaseUnavailableError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(cause: unknown, message = 'The database cannot be reached right now.') {
    super(message, { cause });
    this.name = 'DatabaseUnavailableError';
  }
}

/** Postgres answers, and our tables are not all there yet. Answered 503 (REL-30). */
export class SchemaUnmadeError extends DatabaseUnavailableError {
  constructor() {
    super(undefined, 'The schema of the database is still being made.');
    this.name = 'SchemaUnmadeError';
  }
}

/** Every connection is busy and the line for one is full or did not move in time. Answered 503 (REL-05). */
export class PoolExhaustedError extends ExpectedError {
  readonly code = 'POOL_EXHAUSTED';

  constructor(readonly retryAfterSeconds = 1) {
    super('All database connections are busy.');
    this.name = 'PoolExhaustedError';
  }
}

/** What a pg error may carry (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
export interface SqlError extends Error {
  readonly code: string;
  readonly severity: string;
  /** Without the namespace prefix: the pool takes it off. */
  constraint?: string;
  table?: string;
  readonly routine?: string;
}

/** True for an error Postgres itself reported; its `code` is a SQLSTATE. */
export function isSqlError(error: unknown): error is SqlError {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as Partial<SqlError>;
  return typeof severity === 'string' && typeof code === 'string' && code.length === 5;
}

const sqlState = (error: unknown): string | undefined => (isSqlError(error) ? error.code : undefined);

// 57P01–57P05: shutdown, crash, still starting, database dropped, idle session ended. 53300: no connection slot left.
// 25P03: idle in transaction. 25006: read-only, so this is a standby or was just demoted (REL-02).
const BROKEN_STATES = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '53300', '25P03', '25006']);

const BROKEN_SOCKETS = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN EADDRNOTAVAIL'.split(
    ' ',
  ),
);

// pg gives these no code. 'Query read timeout' is our own timer on a server that went silent.
const BROKEN_MESSAGES =
  /^(Connection terminated|Client has encountered|Client was closed|Query read timeout|timeout expired)/;

/** True when the connection the error came from must not be used again (REL-02). */
export function isConnectionFailure(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state.startsWith('08') || BROKEN_STATES.has(state);
  if (!(error instanceof Error)) return false;
  return BROKEN_SOCKETS.has((error as NodeJS.ErrnoException).code ?? '') || BROKEN_MESSAGES.test(error.message);
}

/** True when pg refused the query before writing a byte of it: the client was already known to be broken. */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && !isSqlError(error) && /is not queryable$/.test(error.message);
}

/**
 * True when statement_timeout (57014), lock_timeout (55P03) or our own timer ended the statement: the database is too
 * slow just now, and asking again would take as long again (REL-06).
 */
export function isTimeout(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return state === '57014' || state === '55P03';
  return error instanceof Error && error.message === 'Query read timeout';
}

/** True for serialization failure and deadlock: Postgres rolled back, so doing it again is safe (REL-03). */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/**
 * True when the server forgot or outlived a prepared statement, before running anything: 26000 and 42P05 come from a
 * bouncer that hands our statements to another connection; a stale plan from a migration beside us (REL-08).
 */
export function isStatementLost(error: unknown): boolean {
  if (!isSqlError(error)) return false;
  return error.code === '26000' || error.code === '42P05' || isPlanStale(error);
}

/** True for "cached plan must not change result type". The text is translated, the routine is not. */
export function isPlanStale(error: unknown): boolean {
  return isSqlError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}

/**
 * @param constraint name without namespace; absent: any
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return isSqlError(error) && error.code === '23505' && (constraint === undefined || error.constraint === constraint);
}

/** @param constraint name without namespace; absent: any */
export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return isSqlError(error) && error.code === '23503' && (constraint === undefined || error.constraint === constraint);
}
