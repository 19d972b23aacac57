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

/** A counter of the table. */
export interface CounterPlace {
  readonly name: string;
  readonly key: string;
}

/** A counter that refuses the next request. */
export interface HeldBack extends CounterPlace {
  /** Requests that it counts. */
  readonly level: number;
  readonly wait_seconds: number;
  /** RFC 3339. */
  readonly until: string;
}

/** The rule of a limit by name; `delay`: the counter has the time of the next try. */
export interface CounterRuleOf {
  readonly name: string;
  readonly rule: CounterRule | { readonly kind: 'delay' };
}

const paceOf = (rule: CounterRuleOf['rule']): number =>
  rule.kind === 'delay' ? 0 : rule.kind === 'bucket' ? rule.perSecond : rule.seconds;
const mostOf = (rule: CounterRuleOf['rule']): number => (rule.kind === 'delay' ? 0 : rule.most);

/**
 * In the order of names and keys.
 * @param most counters to look at, and to find
 * @returns last: where the look ended; count: how many were looked at
 */
export async function findHeldBack(
  db: Database,
  rules: readonly CounterRuleOf[],
  after: CounterPlace,
  most: { readonly seen: number; readonly found: number },
): Promise<{ readonly rows: readonly HeldBack[]; readonly last: CounterPlace | null; readonly count: number }> {
  type Row = { readonly position: number } & (HeldBack | { readonly name: null; readonly key: string });
  const rows = await db.run<Row>('limits.held_back', [
    rules.map(({ name }) => name),
    rules.map(({ rule }) => rule.kind),
    rules.map(({ rule }) => mostOf(rule)),
    rules.map(({ rule }) => paceOf(rule)),
    after.name,
    after.key,
    most.seen,
    most.found,
  ]);
  const end = rows.find(({ name }) => name === null);
  const [name, key] = end === undefined ? [] : (JSON.parse(end.key) as [string, string]);
  return {
    rows: rows.filter((row): row is Row & HeldBack => row.name !== null),
    last: name === undefined || key === undefined ? null : { name, key },
    count: end?.position ?? 0,
  };
}

export interface ReadCounter extends CounterPlace {
  readonly level: number;
  /** Zero: the next request is granted. */
  readonly wait_seconds: number;
  /** The last request was refused. */
  readonly was_refused: boolean;
  readonly until: string | null;
}

export const readCounters = (
  db: Database,
  wanted: readonly (CounterPlace & CounterRuleOf)[],
): Promise<readonly ReadCounter[]> =>
  db.run<ReadCounter>('limits.counters_of', [
    wanted.map(({ name }) => name),
    wanted.map(({ key }) => key),
    wanted.map(({ rule }) => rule.kind),
    wanted.map(({ rule }) => mostOf(rule)),
    wanted.map(({ rule }) => paceOf(rule)),
  ]);

/** @returns false when there is no such counter */
export async function forgiveCounter(
  db: Database,
  { name, key }: CounterPlace,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('limits.forgive', [name, key, JSON.stringify(audit)])).length === 1;
}
