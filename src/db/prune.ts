/** The statements of sql/queries/prune.sql. */
import type { Database, SqlValue } from './types.js';

/** Minimum ages in seconds. Null: never pruned, or no such limit. */
export interface PruneAges {
  mailedCode: number;
  textedCode: number;
  flow: number;
  /** Of a provider flow that was never completed. */
  waitingFlow: number;
  /** Since a session was revoked or expired. */
  deadSession: number;
  sessionTimebox: number | null;
  sessionInactivity: number | null;
  mail: number;
  counter: number;
  audit: number | null;
  event: number;
  /** Of a challenge, and of a factor that is not verified. */
  challenge: number;
  /** Since the last use of a browser on the pages. */
  unusedBrowser: number;
  /** Of a flow of the pages. */
  pageFlow: number;
  /** Of a request to the OAuth server. */
  authorization: number;
  /** Since the last use of a client that registered itself. */
  unusedClient: number | null;
  /** Of a recorded refusal. */
  refusal: number;
  /** Of a trace of a provider. */
  trace: number;
  /** Of an import by an operator. */
  importRun: number;
}

export const prunedTables = [
  'one_time_tokens',
  'flow_states',
  'sessions',
  'outbox',
  'rate_counters',
  'audit_log',
  'events',
  'webhook_queues',
  'mfa_challenges',
  'mfa_factors',
  'used_challenges',
  'oauth_revoked_tokens',
  'browsers',
  'page_flows',
  'oauth_authorizations',
  'oauth_clients',
  'dpop_proofs',
  'saml_relay_states',
  'saml_assertions',
  'refusals',
  'provider_traces',
  'import_runs',
  'scim_users',
  'stats_daily',
] as const;

export type PrunedTable = (typeof prunedTables)[number];

export async function countPrunable(db: Database, ages: PruneAges): Promise<Record<PrunedTable, number>> {
  const [row] = await db.run<Record<PrunedTable, number>>('prune.count', [
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
    ages.event,
    ages.challenge,
    ages.unusedBrowser,
    ages.pageFlow,
    ages.authorization,
    ages.unusedClient,
    ages.refusal,
    ages.trace,
    ages.importRun,
  ]);
  return row!;
}

/**
 * Limit of provider flows that were never completed: 150 MB if each has the maximum size. At fewer than 55 new flows
 * per second none is removed early.
 */
export const MAX_WAITING_FLOWS = 50_000;

/** Limit of recorded refusals, of all instances: about 100 MB. At the highest rate of one process it is reached in three hours. */
export const MAX_REFUSALS = 200_000;

/** A year and a month, so that a day can be compared with that of a year ago. */
const MAX_STATS_DAYS = 400;

/** @returns the number of deleted rows; fewer than `most` means that none is left */
export async function pruneBatch(db: Database, kind: PrunedTable, ages: PruneAges, most: number): Promise<number> {
  const values: Record<PrunedTable, readonly SqlValue[]> = {
    one_time_tokens: [ages.mailedCode, ages.textedCode],
    flow_states: [ages.flow, ages.waitingFlow, MAX_WAITING_FLOWS],
    sessions: [ages.deadSession, ages.sessionTimebox, ages.sessionInactivity],
    outbox: [ages.mail],
    rate_counters: [ages.counter],
    audit_log: [ages.audit],
    events: [ages.event],
    webhook_queues: [ages.event],
    mfa_challenges: [ages.challenge],
    mfa_factors: [ages.challenge],
    used_challenges: [],
    oauth_revoked_tokens: [],
    browsers: [ages.unusedBrowser],
    page_flows: [ages.pageFlow, MAX_WAITING_FLOWS],
    oauth_authorizations: [ages.authorization, MAX_WAITING_FLOWS],
    oauth_clients: [ages.unusedClient],
    dpop_proofs: [],
    saml_relay_states: [MAX_WAITING_FLOWS],
    saml_assertions: [],
    refusals: [ages.refusal, MAX_REFUSALS],
    provider_traces: [ages.trace],
    import_runs: [ages.importRun],
    scim_users: [],
    stats_daily: [MAX_STATS_DAYS],
  };
  const statement = kind === 'rate_counters' ? 'limits.prune' : `prune.${kind}`;
  return (await db.run<{ pruned: number }>(statement, [...values[kind], most]))[0]!.pruned;
}
