import { setTimeout as pause } from 'node:timers/promises';
import { applicationErrorOf } from './application-error.js';
import {
  DatabaseUnavailableError,
  isClusterChanging,
  isConflict,
  isConnectionFailure,
  isSessionChanged,
  isSqlError,
  isStatementLost,
  isTimeout,
  isUnsent,
} from './errors.js';

/** No connection could be opened, so the statement was not sent. */
export class NotSentError extends Error {
  readonly isRetryable: boolean;

  /** @param isWorthAnother false once the time limit for a connection is used up */
  constructor(cause: unknown, isWorthAnother: boolean) {
    super('The statement was not sent.', { cause });
    this.isRetryable = isWorthAnother;
    this.name = 'NotSentError';
  }
}

const MAX_CONFLICTS = 3;
/** Each ends a connection, and the pool may hold more of them. */
const MAX_CHANGED_SESSIONS = 3;

/**
 * Runs work, and retries it only where it cannot take effect twice (REL-03):
 * - nothing was sent: once more;
 * - the server rejected the prepared statement before running it: once more;
 * - the session is not as it was opened, so that the statement could not run: up to three times;
 * - the connection broke during a read: once more; never during a write, which may have been committed;
 * - serialization failure, deadlock, or what is like them on a cluster (isConflict), rolled back by Postgres: up to three times.
 * @param isRead the work changes nothing
 */
export async function retryWhereSafe<Result>(isRead: boolean, work: () => Promise<Result>): Promise<Result> {
  let conflicts = 0;
  let changedSessions = 0;
  let wasBroken = false;
  let wasLost = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isConflict(error) && conflicts < MAX_CONFLICTS) {
        conflicts += 1;
        // Jitter, so that the two sides of a deadlock do not meet again.
        await pause(Math.random() * 10 * 2 ** conflicts);
      } else if (isStatementLost(error) && !wasLost) {
        wasLost = true;
      } else if (isSessionChanged(error) && changedSessions < MAX_CHANGED_SESSIONS) {
        changedSessions += 1;
      } else if (!wasBroken && isSafeAfterBreak(error, isRead)) {
        wasBroken = true;
        // A restarting server refuses connections for 160 to 370 ms (docs/decisions.md, Retries).
        await pause(50 + Math.random() * 100);
      } else {
        throw error;
      }
    }
  }
}

function isSafeAfterBreak(error: unknown, isRead: boolean): boolean {
  if (error instanceof NotSentError) return error.isRetryable;
  return isUnsent(error) || (isRead && isConnectionFailure(error) && !isTimeout(error));
}

/** @returns the error that callers of the database see */
export function translateError(error: unknown, prefix: string): unknown {
  if (error instanceof NotSentError) return new DatabaseUnavailableError(error.cause, undefined, false);
  if (isTimeout(error)) return new DatabaseUnavailableError(error, 'The database took too long to answer.');
  if (isConnectionFailure(error) || isClusterChanging(error)) return new DatabaseUnavailableError(error);
  const ofApplication = applicationErrorOf(error, prefix);
  if (ofApplication !== undefined) return ofApplication;
  if (isSqlError(error)) {
    if (error.constraint?.startsWith(prefix)) error.constraint = error.constraint.slice(prefix.length);
    if (error.table?.startsWith(prefix)) error.table = error.table.slice(prefix.length);
  }
  return error;
}

/**
 * For work within a transaction, which may look at constraints: those of the application may have the names of ours.
 * @returns the error itself, unless it is the application's and nothing will be retried
 */
export function translateWithin(error: unknown, prefix: string): unknown {
  const isForRetry = isConflict(error) || isTimeout(error) || isConnectionFailure(error) || isStatementLost(error);
  return isForRetry ? error : (applicationErrorOf(error, prefix) ?? error);
}
