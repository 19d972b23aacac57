/** Typed doors to sql/queries/limits.sql. Every count goes by the database's clock, so that instances agree. */
import type { Database } from './types.js';

/** `bucket`: `most` at once, then `perSecond` more. `window`: `most` in `seconds`, which begin with the first. */
export type CounterRule =
  | { readonly kind: 'bucket'; readonly most: number; readonly perSecond: number }
  | { readonly kind: 'window'; readonly most: number; readonly seconds: number };

/**
 * Counts one request, unless that would be one too many.
 * @param rule with `most` of 1 or more
 * @param name of the limit
 * @param key who is counted
 * @returns 0 when it was counted, else the seconds until one more will be
 */
export async function takeFromCounter(db: Database, rule: CounterRule, name: string, key: string): Promise<number> {
  const [row] =
    rule.kind === 'bucket'
      ? await db.run<{ wait_seconds: number }>('limits.take_from_bucket', [name, key, rule.most, rule.perSecond])
      : await db.run<{ wait_seconds: number }>('limits.take_from_window', [name, key, rule.most, rule.seconds]);
  return row!.wait_seconds;
}

/** Lets a counter begin anew. */
export async function forgetCounter(db: Database, name: string, key: string): Promise<void> {
  await db.run('limits.forget', [name, key]);
}

/**
 * Deletes counters nobody has touched for so long.
 * @returns how many went; `most` when there may be more
 */
export async function pruneCounters(db: Database, olderThanSeconds: number, most: number): Promise<number> {
  const [row] = await db.run<{ pruned: number }>('limits.prune', [olderThanSeconds, most]);
  return row!.pruned;
}
