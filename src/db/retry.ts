import { setTimeout as pause } from 'node:timers/promises';
import { isConflict, isConnectionFailure, isStatementLost, isTimeout, isUnsent } from './errors.js';

/** Wraps what failed before the statement left this process: no connection could be had. */
export class NotSentError extends Error {
  /** @param isWorthAnother false once the time a caller may wait for a connection is used up */
  constructor(
    cause: unknown,
    readonly isWorthAnother: boolean,
  ) {
    super('The statement was not sent.', { cause });
    this.name = 'NotSentError';
  }
}

const MAX_CONFLICTS = 3;

/**
 * Runs work, and again only where that cannot do it twice (REL-03):
 * - nothing was sent: once more;
 * - the server refused the prepared statement before running it: once more;
 * - the connection broke under a read: once more; under anything else never, it may have been committed;
 * - serialization failure or deadlock, rolled back by Postgres: up to three times more.
 * @param isRead the work changes nothing
 */
export async function repeatWhereSafe<Result>(isRead: boolean, work: () => Promise<Result>): Promise<Result> {
  let conflicts = 0;
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
      } else if (!wasBroken && isSafeAfterBreak(error, isRead)) {
        wasBroken = true;
        // A restarting server refuses connections for some 160–370 ms (design.md 6): asking at once is futile.
        await pause(50 + Math.random() * 100);
      } else {
        throw error;
      }
    }
  }
}

function isSafeAfterBreak(error: unknown, isRead: boolean): boolean {
  if (error instanceof NotSentError) return error.isWorthAnother;
  return isUnsent(error) || (isRead && isConnectionFailure(error) && !isTimeout(error));
}
