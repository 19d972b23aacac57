/** The single measurements that the benches are made of. */
import { createHistogram } from 'node:perf_hooks';
import { Piscina } from 'piscina';
import { type BenchDatabase, query, statement } from './database.js';
import type { ClosedLoop, ClosedLoopResult, LoadResult, OpenLoop, OpenLoopResult } from './load-window.js';
import { findPgbench, type PgbenchStatement, runPgbench } from './pgbench.js';
import { readCpuSeconds } from './process-usage.js';
import type { HashJob, HashResult } from './raw-hashing.js';
import type { Account, Traffic } from './requests.js';
import type { ServerUnderTest } from './servers.js';
import type { StatementJob, StatementResult } from './statement-loop.js';

/** What one round has measured of one series. */
export interface Sample {
  /** Answered 2xx. */
  readonly requestsPerSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  /** Processor time for one answer. */
  readonly cpuMicroseconds?: { readonly server?: number; readonly database?: number; readonly generator?: number };
}

/** Clients of the loops that talk to the database directly. */
const DIRECT_CLIENTS = 8;
/** As many generators as a bench runs at once. */
const LOAD_THREADS = 4;
const WARM_UP_SECONDS = 0.5;

export class Rig {
  readonly database: BenchDatabase;
  /** Length of one measurement. */
  readonly seconds: number;
  readonly pgbench = findPgbench();
  /** The argon2 engine, after {@link hashRaw}. */
  engine: string | undefined;
  readonly #threads = new Piscina({ minThreads: LOAD_THREADS, maxThreads: LOAD_THREADS, atomics: 'disabled' });
  #hashThreads: Piscina | undefined;

  constructor(database: BenchDatabase, seconds: number) {
    this.database = database;
    this.seconds = seconds;
  }

  /** @throws when a request had no answer */
  runClosedLoop(job: ClosedLoop): Promise<ClosedLoopResult> {
    return this.#run<ClosedLoopResult>('closed-loop', 'runClosedLoop', job);
  }

  runOpenLoop(job: OpenLoop): Promise<OpenLoopResult> {
    return this.#run<OpenLoopResult>('open-loop', 'runOpenLoop', job);
  }

  /** A closed loop. @throws when an answer was not 2xx */
  async load(...load: Parameters<Rig['loadClosed']>): Promise<Sample> {
    return sampleWithCpu(await this.loadClosed(...load));
  }

  async loadClosed(
    server: ServerUnderTest,
    traffic: Traffic,
    accounts: readonly Account[],
    more: Partial<ClosedLoop> = {},
  ): Promise<ClosedLoopResult> {
    const result = await this.runClosedLoop({
      url: server.url,
      traffic,
      accounts,
      warmUpSeconds: WARM_UP_SECONDS,
      seconds: this.seconds,
      pids: { server: server.pid, database: this.database.pid },
      ...more,
    });
    assertGood(traffic, result);
    return result;
  }

  /** The database work of a request without a server: one statement in pgbench, or a refresh in six round trips. */
  async runStatements(databaseUrl: string, work: PgbenchStatement | 'sixRoundTrips'): Promise<Sample> {
    const { directory } = this.database;
    const sessions = await query<StatementJob['sessions'][number]>(databaseUrl, statement('bench-data.open').text, [
      DIRECT_CLIENTS,
    ]);
    let count = 0;
    const sample = await this.withDatabaseCpu(async () => {
      const result =
        work === 'sixRoundTrips'
          ? await this.loopStatements({ databaseUrl, work, sessions, seconds: this.seconds })
          : await runPgbench(work, databaseUrl, directory, DIRECT_CLIENTS, this.seconds);
      count = result.count;
      return result;
    });
    const [row] = await query<{ redeemed: number }>(databaseUrl, statement('bench-data.redeemed').text);
    const expected = work === 'users.known_caller' ? 0 : count;
    if (row?.redeemed !== expected)
      throw new Error(`${expected} refreshes were sent, the database has ${row?.redeemed}`);
    return sample;
  }

  loopStatements(job: StatementJob): Promise<StatementResult> {
    return this.#run<StatementResult>('statement-loop', 'loopStatements', job);
  }

  /** Adds the processor time of Postgres for each request. */
  async withDatabaseCpu(work: () => Promise<StatementResult>): Promise<Sample> {
    const before = readCpuSeconds(this.database.pid, true);
    const { count, ...sample } = await work();
    const after = readCpuSeconds(this.database.pid, true);
    if (before === undefined || after === undefined || count === 0) return sample;
    return { ...sample, cpuMicroseconds: { database: ((after - before) * 1e6) / count } };
  }

  /** Password verifications without a server, by as many threads as the server has. */
  async hashRaw({ threads, argon2 }: Omit<HashJob, 'seconds'> & { readonly threads: number }): Promise<Sample> {
    // Threads of their own, since they lower their priority.
    this.#hashThreads ??= new Piscina({ minThreads: threads, maxThreads: threads, atomics: 'disabled' });
    const job: HashJob = { argon2, seconds: this.seconds };
    const pool = this.#hashThreads;
    const results = await Promise.all(
      Array.from({ length: threads }, () => this.#run<HashResult>('raw-hashing', 'verifyPasswords', job, pool)),
    );
    this.engine = results[0]!.engine;
    const all = createHistogram();
    for (const { latencies } of results) all.add(latencies);
    return {
      requestsPerSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
      p50Ms: all.percentile(50) / 1e6,
      p99Ms: all.percentile(99) / 1e6,
    };
  }

  #run<Answer>(module: string, name: string, job: object, pool = this.#threads): Promise<Answer> {
    return pool.run(job, { filename: new URL(`./${module}.js`, import.meta.url).href, name }) as Promise<Answer>;
  }
}

/** What is kept of a run of a generator. */
export const sampleOf = ({ requestsPerSecond, p50Ms, p99Ms }: LoadResult): Sample => ({
  requestsPerSecond,
  p50Ms,
  p99Ms,
});

export const sampleWithCpu = (result: LoadResult): Sample => ({
  ...sampleOf(result),
  cpuMicroseconds: result.cpuMicroseconds,
});

/**
 * @param allowed a status that is right, too: 503 under overload
 * @throws when an answer was not 2xx, or none came
 */
export function assertGood(what: string, { statuses, requestsPerSecond }: LoadResult, allowed?: number): void {
  const bad = Object.entries(statuses).filter(([status]) => !/^2\d\d$/.test(status) && status !== String(allowed));
  if (bad.length > 0) {
    throw new Error(`${what}: not every answer was 2xx (${bad.map(([status, n]) => `${n} × ${status}`).join(', ')})`);
  }
  if (requestsPerSecond === 0) throw new Error(`${what}: nothing was answered`);
}
