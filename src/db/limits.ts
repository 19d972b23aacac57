/** The statements of sql/queries/limits.sql. Counters use the database's clock, so that instances agree. */
import type { Database } from './types.js';

/** `bucket`: `most` at once, refilled by `perSecond`. `window`: `most` within `seconds` of the first. */
export type CounterRule =
  | { readonly kind: 'bucket'; readonly most: number; readonly perSecond: number }
  | { readonly kind: 'window'; readonly most: number; readonly seconds: number };

/**
 * Counts one request unless the limit is reached.
 * @param rule with `most` of 1 or more
 * @param name of the limit
 * @param key of the client or recipient
 * @returns 0 when the request was counted, else the seconds to wait
 */
export async function takeFromCounter(db: Database, rule: CounterRule, name: string, key: string): Promise<number> {
  const [row] =
    rule.kind === 'bucket'
      ? await db.run<{ wait_seconds: number }>('limits.take_from_bucket', [name, key, rule.most, rule.perSecond])
      : await db.run<{ wait_seconds: number }>('limits.take_from_window', [name, key, rule.most, rule.seconds]);
  return row!.wait_seconds;
}

/** Takes back one counted request of a window. */
export async function giveBackToCounter(db: Database, name: string, key: string): Promise<void> {
  await db.run('limits.give_back', [name, key]);
}

/** Resets a counter. */
export async function resetCounter(db: Database, name: string, key: string): Promise<void> {
  await db.run('limits.forget', [name, key]);
}

/**
 * Deletes counters that have not changed for some time.
 * @returns the number of deleted counters; `most` when there may be more
 */
export async function pruneCounters(db: Database, olderThanSeconds: number, most: number): Promise<number> {
  const [row] = await db.run<{ pruned: number }>('limits.prune', [olderThanSeconds, most]);
  return row!.pruned;
}
