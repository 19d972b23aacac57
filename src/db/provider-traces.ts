/** The statements of sql/queries/provider-traces.sql. */
import type { Database } from './types.js';

export type TraceOutcome = 'session' | 'code' | 'dry_run' | 'denied' | 'failed';

/** `waiting`: nobody has opened its address. `abandoned`: the browser did not come back from the provider. */
export type TraceState = TraceOutcome | 'waiting' | 'expired' | 'running' | 'abandoned';

export interface ProviderTrace {
  readonly id: string;
  readonly provider: string;
  /** It ends before anything about an account is written. */
  readonly is_dry: boolean;
  readonly operator_name: string;
  readonly created_at: string;
  /** When it can no longer be begun. */
  readonly expires_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly state: TraceState;
}

/** One hop of an attempt. Without tokens, codes and secrets. */
export interface TraceStep {
  readonly kind: string;
  /** RFC 3339, by the clock of the server that noted it. */
  readonly at: string;
  /** How long it took. */
  readonly ms: number;
  readonly is_ok: boolean;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface NewTrace {
  readonly id: string;
  readonly provider: string;
  readonly isDry: boolean;
  readonly operatorName: string;
  readonly validSeconds: number;
  readonly audit: readonly object[];
}

/** @returns when it can no longer be begun */
export async function openProviderTrace(db: Database, trace: NewTrace): Promise<string> {
  const { id, provider, isDry, operatorName, validSeconds, audit } = trace;
  const values = [id, provider, isDry, operatorName, validSeconds, JSON.stringify(audit)];
  return (await db.run<{ expires_at: string }>('provider-traces.open', values))[0]!.expires_at;
}

/** Begins a trace, once. @returns undefined: it is unknown, used, expired, or of another provider */
export async function beginProviderTrace(
  db: Database,
  id: string,
  provider: string,
): Promise<{ is_dry: boolean } | undefined> {
  return (await db.run<{ is_dry: boolean }>('provider-traces.begin', [id, provider]))[0];
}

/** @returns undefined: it cannot begin, see {@link beginProviderTrace} */
export async function findWaitingTrace(
  db: Database,
  id: string,
  provider: string,
): Promise<{ is_dry: boolean } | undefined> {
  return (await db.run<{ is_dry: boolean }>('provider-traces.waiting', [id, provider]))[0];
}

export interface BegunTrace {
  readonly is_dry: boolean;
  readonly provider: string;
  readonly is_ended: boolean;
}

/** @returns undefined: it has not begun, or is gone */
export async function findBegunTrace(db: Database, id: string): Promise<BegunTrace | undefined> {
  return (await db.run<BegunTrace>('provider-traces.begun', [id]))[0];
}

/** What an identity provider of a company said of a person in a test. */
export interface SaidInTest<Said> {
  readonly id: string;
  readonly ended_at: string | null;
  readonly said: Said;
}

/** @param said for {@link readLastSaid} */
export async function keepSaid(db: Database, id: string, said: object): Promise<void> {
  await db.run('provider-traces.keep_said', [id, JSON.stringify(said)]);
}

/** @returns undefined: no test of the last day got so far */
export async function readLastSaid<Said>(db: Database, provider: string): Promise<SaidInTest<Said> | undefined> {
  return (await db.run<SaidInTest<Said>>('provider-traces.last_said', [provider]))[0];
}

/** @param outcome ends the trace; null: it goes on. @param most steps that are kept, the last one aside */
export async function noteTraceSteps(
  db: Database,
  id: string,
  steps: readonly TraceStep[],
  outcome: TraceOutcome | null,
  most: number,
): Promise<void> {
  await db.run('provider-traces.note', [id, JSON.stringify(steps), outcome, most]);
}

/** The newest ones. @param returnSeconds in which a browser may come back */
export const listProviderTraces = (
  db: Database,
  provider: string,
  returnSeconds: number,
  limit: number,
): Promise<readonly ProviderTrace[]> =>
  db.run<ProviderTrace>('provider-traces.of_provider', [provider, returnSeconds, limit]);

/** @param known number of steps that are left out. @returns undefined: there is none, or not any more */
export async function readProviderTrace(
  db: Database,
  id: string,
  returnSeconds: number,
  known: number,
): Promise<(ProviderTrace & { readonly steps: readonly TraceStep[] }) | undefined> {
  return (
    await db.run<ProviderTrace & { readonly steps: readonly TraceStep[] }>('provider-traces.trace', [
      id,
      returnSeconds,
      known,
    ])
  )[0];
}
