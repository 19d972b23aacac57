/** What a run has measured: for every series one sample a round. */

export const seriesNames = {
  health: 'GET /health',
  healthBare: 'GET /health, bare server',
  user: 'GET /user',
  userBare: 'GET /user, bare server',
  userDirect: 'its statement, one by one',
  refresh: 'refresh grant',
  refreshBare: 'refresh grant, bare server',
  refreshInline: 'refresh grant, signed inline',
  refreshDirect: 'its statement, one by one',
  sixRoundTrips: 'its work as six round trips',
  password: 'password grant',
  signup: 'POST /signup',
  raw: 'raw argon2',
  storm: 'password grants at 10 × overload',
  userInStorm: 'GET /user meanwhile',
  userPaced: 'GET /user at the same pace, no storm',
} as const;

export type Series = keyof typeof seriesNames;

export interface Sample {
  /** Only what was answered 2xx. */
  readonly requestsPerSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly cpuMicroseconds?: { readonly server?: number; readonly database?: number; readonly generator?: number };
  /** Answers by status. */
  readonly statuses?: Readonly<Record<string, number>>;
}

export interface SigtermOutcome {
  readonly runs: number;
  /** Exit codes, or names of signals, of the runs that did not exit 0. */
  readonly badExits: readonly (number | string)[];
  readonly acknowledged: number;
  readonly lost: number;
}

export interface Measurements {
  readonly samples: Readonly<Partial<Record<Series, readonly Sample[]>>>;
  readonly residentBytes: { readonly idle?: number; readonly storm?: number };
  readonly sigterm?: SigtermOutcome | undefined;
}
