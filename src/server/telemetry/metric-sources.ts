/** What metrics are made of: counters that rooms keep anyway, read when somebody asks. */

export interface MetricSources {
  readonly version: string;
  readonly inFlight: () => number;
  readonly database: () => { open: number; idle: number; waiting: number; limit: number };
  readonly crypto: () => {
    hashThreads: number;
    hashesRunning: number;
    hashesQueued: number;
    hashesRefused: number;
    signaturesQueued: number;
    threadsLost: number;
  };
  readonly mail: () => {
    waiting: number;
    sent: number;
    retried: number;
    failed: Readonly<Record<string, number>>;
  };
  readonly limits: () => { refusals: Readonly<Record<string, number>>; remembered: number };
  /** Writes to AUTH_LOG_FILE that failed since the start. */
  readonly logFailures: () => number;
}

export type SmsOutcome = 'sent' | 'failed';

/** One metric as it crosses threads: plain data. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How the values of several threads become one. */
  readonly aggregator: 'sum' | 'first' | 'min' | 'max';
  readonly values: readonly MetricValue[];
}

export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: which of its series, e.g. `…_bucket`. */
  readonly metricName?: string;
}
