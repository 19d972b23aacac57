/** Typed door to sql/queries/prune.sql. */
import type { Database, SqlValue } from './types.js';

/** How old things must be, in seconds. Null: not pruned, or no such bound. */
export interface PruneAges {
  mailedCode: number;
  textedCode: number;
  flow: number;
  /** Of a flow that began at a provider and has led to nothing. */
  waitingFlow: number;
  /** Since a session was revoked or reached an end. */
  deadSession: number;
  sessionTimebox: number | null;
  sessionInactivity: number | null;
  mail: number;
  counter: number;
  audit: number | null;
}

export const pruned = ['one_time_tokens', 'flow_states', 'sessions', 'outbox', 'rate_counters', 'audit_log'] as const;

export type Pruned = (typeof pruned)[number];

export async function countPrunable(db: Database, ages: PruneAges): Promise<Record<Pruned, number>> {
  const [row] = await db.run<Record<Pruned, number>>('prune.count', [
    ages.mailedCode,
    ages.textedCode,
    ages.flow,
    ages.deadSession,
    ages.sessionTimebox,
    ages.sessionInactivity,
    ages.mail,
    ages.counter,
    ages.audit,
    ages.waitingFlow,
  ]);
  return row!;
}

/**
 * How many flows that began at a provider and have led to nothing may stay: 150 MB where each is as large as a stranger can
 * make it, and all of them while fewer than 55 a second begin.
 */
export const MOST_WAITING_FLOWS = 50_000;

/** @returns how many went; fewer than `most` means that there are no more */
export async function pruneBatch(db: Database, kind: Pruned, ages: PruneAges, most: number): Promise<number> {
  const values: Record<Pruned, readonly SqlValue[]> = {
    one_time_tokens: [ages.mailedCode, ages.textedCode],
    flow_states: [ages.flow, ages.waitingFlow, MOST_WAITING_FLOWS],
    sessions: [ages.deadSession, ages.sessionTimebox, ages.sessionInactivity],
    outbox: [ages.mail],
    rate_counters: [ages.counter],
    audit_log: [ages.audit],
  };
  const statement = kind === 'rate_counters' ? 'limits.prune' : `prune.${kind}`;
  return (await db.run<{ pruned: number }>(statement, [...values[kind], most]))[0]!.pruned;
}
