/**
 * The statements of sql/queries/sign-in-failures.sql: consecutive wrong passwords (docs/decisions.md, Wrong passwords).
 */
import type { Database } from './types.js';

/** Consecutive wrong passwords before the first delay. */
const FREE_FAILURES = 10;
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 900;
/** Age at which failures no longer count. Ten new tries in three hours are fewer than one per longest delay. */
export const FORGET_AFTER_SECONDS = 10_800;

export interface CountedFailure {
  /** A delay was already in force: the password must be ignored, right or wrong. */
  readonly is_throttled: boolean;
  /** Seconds until the next try; 0: at once. */
  readonly wait_seconds: number;
}

/** Counts a wrong password unless a delay is in force. @param key of the counter */
export async function countSignInFailure(db: Database, key: string): Promise<CountedFailure> {
  const [row] = await db.run<CountedFailure>('sign-in-failures.count', [
    key,
    FREE_FAILURES,
    FIRST_DELAY_SECONDS,
    LONGEST_DELAY_SECONDS,
    FORGET_AFTER_SECONDS,
  ]);
  return row!;
}

/** @returns seconds until the next try; 0: at once */
export async function readSignInDelay(db: Database, key: string): Promise<number> {
  const [row] = await db.run<{ wait_seconds: number }>('sign-in-failures.delay', [key]);
  return row!.wait_seconds;
}
