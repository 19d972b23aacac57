/** Login storms of several strengths, with refreshes and GET /user beside them; once more on a slow database. */
import type { Test } from 'tap';
import { startSlowProxy } from '../../test/support/slow-proxy.js';
import { makeAccounts, signInAgain } from './accounts.js';
import { watchMemory } from './bench-rig.js';
import { type BenchDatabase, populate } from './database.js';
import { planHashing } from './hashing.js';
import type { PacedJob, PacedResult } from './paced-process.js';
import { Worker } from './processes.js';
import type { RawHashJob, RawHashResult } from './raw-hash-process.js';
import type { Say } from './run-bench.js';
import { type ServerOptions, startServerUnderTest } from './servers.js';
import type { Account } from './traffic.js';

/** Times what the hash threads can do. */
export const FACTORS = [1, 3, 10] as const;
/** At each answer of the database, in the last variant. */
export const SLOW_MS = 50;
export const USERS_PER_SECOND = 300;
export const REFRESHES_PER_SECOND = 200;

const ACCOUNTS = 64;
/** Until the hash queue is full and the first ones have waited in it. */
const WARM_UP_SECONDS = 2;
const PATIENCE_SECONDS = 60;

export interface OverloadSample {
  readonly rawPerSecond: number;
  readonly offeredPerSecond: number;
  readonly goodPerSecond: number;
  readonly shedPerSecond: number;
  /** Refresh grants and GET /user that got 503. */
  readonly othersRefusedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refreshP99Ms: number;
  readonly userP99Ms: number;
  /** Password grants sent and not answered, at most. */
  readonly mostInFlight: number;
  readonly residentBytes: number | undefined;
}

export interface OverloadCase {
  readonly factor: number;
  readonly isSlow: boolean;
  readonly samples: OverloadSample[];
}

export interface OverloadOptions {
  readonly root: string;
  readonly rounds: number;
  readonly seconds: number;
}

/** @throws when an answer was neither 2xx nor 503, or a process failed */
export async function measureOverload(
  database: BenchDatabase,
  wanted: OverloadOptions,
  say: Say,
): Promise<{ cases: OverloadCase[]; engine: string }> {
  const raw = new Worker<RawHashJob, RawHashResult>(new URL('./raw-hash-process.js', import.meta.url));
  const paced = () => new Worker<PacedJob, PacedResult>(new URL('./paced-process.js', import.meta.url));
  const [storm, users, refreshes] = [paced(), paced(), paced()];
  const teardowns: (() => unknown)[] = [];
  const ending = { teardown: (end: () => unknown) => teardowns.push(end) } as unknown as Pick<Test, 'teardown'>;

  const databaseUrl = await database.create('overload');
  const options: ServerOptions = { root: wanted.root, databaseUrl, cwd: database.directory, logLevel: 'info' };
  const server = await startServerUnderTest(options);
  await populate(databaseUrl);
  const accounts = await makeAccounts(server.url, ACCOUNTS);
  const proxy = await startSlowProxy(ending, databaseUrl);
  const slowServer = await startServerUnderTest({ ...options, databaseUrl: proxy.url });
  const hashing = planHashing(options);
  const cases: OverloadCase[] = [
    ...FACTORS.map((factor) => ({ factor, isSlow: false, samples: [] })),
    { factor: Math.max(...FACTORS), isSlow: true, samples: [] },
  ];
  let engine = '';

  async function measureStorm(isSlow: boolean, factor: number, rawPerSecond: number): Promise<OverloadSample> {
    const { url, pid } = isSlow ? slowServer : server;
    const sessions: readonly Account[] = await signInAgain(server.url, accounts);
    proxy.delayMs = isSlow ? SLOW_MS : 0;
    const common = { url, accounts: sessions, warmUpSeconds: WARM_UP_SECONDS, seconds: wanted.seconds };
    const run = (worker: Worker<PacedJob, PacedResult>, traffic: PacedJob['traffic'], requestsPerSecond: number) =>
      worker.run({ ...common, traffic, requestsPerSecond }, wanted.seconds + PATIENCE_SECONDS);
    const watch = watchMemory(pid);
    const [grants, user, refresh] = await Promise.all([
      run(storm, 'password', rawPerSecond * factor),
      run(users, 'user', USERS_PER_SECOND),
      run(refreshes, 'refresh', REFRESHES_PER_SECOND),
    ]).finally(() => watch.stop());
    const shedPerSecond = (grants.statuses[503] ?? 0) / wanted.seconds;
    const refused = [user, refresh].reduce((sum, { statuses }) => sum + (statuses[503] ?? 0), 0);
    for (const { statuses } of [grants, user, refresh]) {
      const bad = Object.entries(statuses).filter(([status]) => !status.startsWith('2') && status !== '503');
      if (bad.length > 0) throw new Error(`Answered ${bad.map(([status, n]) => `${n} × ${status}`).join(', ')}`);
    }
    const { offeredPerSecond, goodPerSecond, p50Ms, p99Ms, mostInFlight } = grants;
    return {
      ...{ rawPerSecond, offeredPerSecond, goodPerSecond, p50Ms, p99Ms, mostInFlight },
      shedPerSecond,
      othersRefusedPerSecond: refused / wanted.seconds,
      refreshP99Ms: refresh.p99Ms,
      userP99Ms: user.p99Ms,
      residentBytes: watch.most(),
    };
  }

  try {
    for (let round = 1; round <= wanted.rounds; round += 1) {
      for (const { factor, isSlow, samples } of cases) {
        const limit = await raw.run({ ...hashing, seconds: Math.min(2, wanted.seconds) }, PATIENCE_SECONDS);
        engine = limit.engine;
        const sample = await measureStorm(isSlow, factor, limit.requestsPerSecond);
        samples.push(sample);
        say(
          `round ${round}/${wanted.rounds}  ${factor} ×${isSlow ? `, database ${SLOW_MS} ms slower` : ''}: ` +
            `${sample.goodPerSecond.toFixed(0)} of ${sample.offeredPerSecond.toFixed(0)}/s, raw ${sample.rawPerSecond.toFixed(0)}/s; ` +
            `refresh p99 ${sample.refreshP99Ms.toFixed(1)} ms, in flight at most ${sample.mostInFlight}`,
        );
      }
    }
  } finally {
    proxy.delayMs = 0;
    await Promise.all([server.stop(), slowServer.stop()]);
    for (const end of teardowns) await end();
    for (const worker of [raw, storm, users, refreshes]) worker.end();
  }
  return { cases, engine };
}
