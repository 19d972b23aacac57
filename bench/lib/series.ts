/** What `npm run bench` measures: one sample of each series for each process. */
import type { Sample } from './rig.js';

/** What `--only` selects. */
export const parts = {
  refresh: 'POST /token?grant_type=refresh_token, its statement alone and in six round trips',
  oauth: 'POST /oauth/token, grant_type=refresh_token, beside that of /token',
  tail: 'refresh grants while ten consoles follow the activity, and while none does',
  hook: 'refresh grants with a hook custom_access_token of 200 ms and the claims cache',
  signing: 'refresh grants with access tokens signed on the server thread instead of in the pool',
  bare: 'the same requests to a server without rules, log and threads: the limit of engine, driver and machine',
  password: 'POST /token?grant_type=password and raw argon2',
  signup: 'POST /signup and raw argon2',
  user: 'GET /user, its statement alone and GET /health',
  storm: 'ten times more password grants than can be hashed, GET /user meanwhile, memory',
  sigterm: 'SIGTERM in the storm: exit code, and whether the database has what was acknowledged',
} as const;

export type Part = keyof typeof parts;

export const seriesNames = {
  refresh: 'refresh grant',
  refreshBare: 'refresh grant, bare server',
  refreshOauth: 'refresh grant at /oauth/token',
  refreshUnwatched: 'refresh grant, server with a console',
  refreshWatched: 'refresh grant, ten consoles follow',
  refreshHook: 'refresh grant, token hook of 200 ms in the cache',
  refreshInline: 'refresh grant, signed inline',
  refreshDirect: 'refresh statement alone',
  sixRoundTrips: 'refresh grant in six round trips',
  refreshOther: 'refresh grant, other revision',
  user: 'GET /user',
  userBare: 'GET /user, bare server',
  userDirect: 'GET /user statement alone',
  userOther: 'GET /user, other revision',
  health: 'GET /health',
  healthBare: 'GET /health, bare server',
  password: 'password grant',
  passwordOther: 'password grant, other revision',
  signup: 'POST /signup',
  raw: 'raw argon2',
  storm: 'password grant at 10 × overload',
  userInStorm: 'GET /user meanwhile',
  userPaced: 'GET /user at the same rate, no overload',
} as const;

export type Series = keyof typeof seriesNames;
export type Samples = Readonly<Partial<Record<Series, readonly Sample[]>>>;

/** The limit that a series is compared with. */
export const limits: Readonly<Partial<Record<Series, Series>>> = {
  ...{ refresh: 'refreshDirect', refreshBare: 'refreshDirect', refreshInline: 'refreshDirect' },
  ...{ refreshHook: 'refresh', refreshOauth: 'refresh' },
  refreshWatched: 'refreshUnwatched',
  ...{ user: 'userDirect', userBare: 'userDirect', password: 'raw', signup: 'raw', storm: 'raw' },
};

export interface SigtermOutcome {
  readonly runs: number;
  /** Exit codes, or names of signals, of the runs that did not exit with 0. */
  readonly badExits: readonly (number | string)[];
  readonly acknowledged: number;
  readonly lost: number;
}

export interface Measurements {
  readonly samples: Samples;
  /** Of each process; older results have that of their only one. */
  readonly residentBytes: Readonly<Partial<Record<'idle' | 'storm', number | readonly number[]>>>;
  readonly sigterm?: SigtermOutcome | undefined;
  /** Versions of what was used beside the server. */
  readonly tools: { readonly argon2?: string | undefined; readonly pgbench?: string | undefined };
}
