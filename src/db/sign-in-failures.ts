/** Typed doors to sql/queries/sign-in-failures.sql: wrong passwords in a row, for the growing delay (decisions.md 16). */
import type { Database } from './types.js';

/** Wrong passwords in a row until the first delay. */
const FREE_FAILURES = 10;
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 900;
/** Failures this old no longer count. Ten fresh ones each three hours are fewer than one each longest delay. */
export const FORGET_AFTER_SECONDS = 10_800;

export interface CountedFailure {
  /** A delay was running already: the password must not have counted, right or wrong. */
  readonly is_throttled: boolean;
  /** Until the next try; 0: at once. */
  readonly wait_seconds: number;
}

/** Counts a wrong password, unless a delay is running. @param key who is counted */
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
