/** Sources of metrics: counters that other modules keep, read on each scrape. */
import type { AccessEntry } from './edge.js';

interface OutboxFigures {
  readonly waiting: number;
  readonly sent: number;
  readonly retried: number;
  readonly failed: Readonly<Record<string, number>>;
}

export interface MetricSources {
  readonly version: string;
  readonly inFlight: () => number;
  readonly database: () => { open: number; idle: number; waiting: number; limit: number };
  readonly crypto: () => {
    hashThreads: number;
    hashesRunning: number;
    hashesQueued: number;
    hashesRejected: number;
    signaturesQueued: number;
    threadsLost: number;
  };
  readonly mail: () => OutboxFigures;
  readonly texts: () => OutboxFigures;
  readonly passwords: () => { leakChecks: Readonly<Record<string, number>>; filterBuiltAtSeconds: number | null };
  readonly events: () => Readonly<Record<'delivered' | 'retried' | 'dead', number>>;
  readonly limits: () => { rejections: Readonly<Record<string, number>>; remembered: number };
  readonly tokenKeys: () => {
    verifications: ReadonlyMap<string, Readonly<Record<'ok' | 'expired' | 'refused', number>>>;
    ageSeconds: Readonly<Record<string, number>>;
  };
  /** `grant outcome` → requests for tokens, and result → attempts to deliver a logout token. */
  readonly oauth: () => { grants: ReadonlyMap<string, number>; logouts: ReadonlyMap<string, number> };
  /** `kind result` → verifications, and steps of accepted codes → count. */
  readonly factors: () => { results: ReadonlyMap<string, number>; offsets: ReadonlyMap<number, number> };
  /** What of identity providers ends within 30 days → how many providers. */
  readonly ssoEnds: () => Readonly<Record<string, number>>;
  /** Null: they are off. `counts` is null where another thread counts. */
  readonly organizations: () => {
    readonly counts: { readonly organizations: number; readonly members: number; readonly pending: number } | null;
  } | null;
  /** Failed writes to AUTH_LOG_FILE since the start. */
  readonly logFailures: () => number;
}

export type SmsOutcome = 'sent' | 'failed';

/** A metric as plain data, which can be sent between threads. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How the values of several threads are merged. */
  readonly aggregator: 'sum' | 'first' | 'min' | 'max';
  readonly values: readonly MetricValue[];
}

export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** For a histogram: name of the series, e.g. `…_bucket`. */
  readonly metricName?: string;
}

export interface ThreadMetrics {
  observeRequest(entry: AccessEntry): void;
  countAuditEvent(action: string): void;
  countSms(outcome: SmsOutcome): void;
  observeHook(hook: string, outcome: string, seconds: number): void;
  snapshot(): Promise<MetricSnapshot[]>;
  close(): void;
}
