/** The processes of a run and the single measurements they can make. */
import { setTimeout as pause } from 'node:timers/promises';
import { signInAgain } from './accounts.js';
import { type BenchDatabase, query } from './database.js';
import type { DirectJob, DirectResult, OpenSession } from './direct-process.js';
import { LoadGenerator } from './load-generator.js';
import type { Sample } from './measurements.js';
import type { PacedJob, PacedResult } from './paced-process.js';
import { runPgbench } from './pgbench.js';
import { Worker } from './processes.js';
import type { RawHashJob, RawHashResult } from './raw-hash-process.js';
import type { ServerUnderTest } from './servers.js';
import { statement } from './statements.js';
import type { Account, Traffic } from './traffic.js';
import { readCpuSeconds, readResidentBytes } from './usage.js';

/** Clients of the loops that talk to the database directly. */
const DIRECT_CLIENTS = 8;
const WARM_UP_SECONDS = 0.5;
/** Until the hash queue is full and the first ones have waited in it. */
const STORM_WARM_UP_SECONDS = 2;
/** Ten times what the hash threads can do. */
const OVERLOAD = 10;
/** Modest: its latency is asked for, not how much of it fits. */
const USERS_PER_SECOND = 300;
/** Added to the length of a job: after that it hangs. */
const PATIENCE_SECONDS = 60;

export interface StormSample {
  readonly storm: Sample;
  readonly user: Sample;
  readonly residentBytes: number | undefined;
}

export class BenchRig {
  readonly #load = new LoadGenerator();
  readonly #direct = worker<DirectJob, DirectResult>('direct');
  readonly #raw = worker<RawHashJob, RawHashResult>('raw-hash');
  readonly #storm = worker<PacedJob, PacedResult>('paced');
  readonly #probe = worker<PacedJob, PacedResult>('paced');
  engine: string | undefined;

  /** @param seconds length of a measurement */
  constructor(
    readonly database: BenchDatabase,
    readonly seconds: number,
  ) {}

  /**
   * Closed loop, one connection an account, each chaining its own tokens.
   * @param door the server that signs the accounts in, where the one under load cannot
   * @throws when an answer was not 2xx
   */
  async load(
    server: ServerUnderTest,
    traffic: Traffic,
    accounts: readonly Account[],
    door: ServerUnderTest = server,
  ): Promise<Sample> {
    const result = await this.#load.run(
      {
        url: server.url,
        traffic,
        accounts: traffic === 'health' ? accounts : await signInAgain(door.url, accounts),
        warmUpSeconds: WARM_UP_SECONDS,
        seconds: this.seconds,
        serverPid: server.pid,
        databasePid: this.database.pid,
      },
      this.seconds + PATIENCE_SECONDS,
    );
    assertGood(traffic, result.statuses, result.requestsPerSecond);
    return result;
  }

  /** The database work of a request without a server. @param tool pgbench, or pg clients where there is none */
  async workDirectly(databaseUrl: string, shape: DirectJob['shape'], tool: 'pgbench' | 'pg'): Promise<Sample> {
    const { pid, directory } = this.database;
    const opened = await query<OpenSession>(databaseUrl, statement('bench-data.open').text, [DIRECT_CLIENTS]);
    const cpuBefore = readCpuSeconds(pid, true);
    const { count, ...sample } =
      tool === 'pgbench' && shape !== 'sixRoundTrips'
        ? await runPgbench({
            statement: shape === 'redeem' ? 'sessions.redeem_refresh_token' : 'users.known_caller',
            ...{ databaseUrl, directory, clients: DIRECT_CLIENTS, threads: 1, seconds: this.seconds },
          })
        : await this.#direct.run(
            { databaseUrl, shape, sessions: opened.rows, seconds: this.seconds },
            this.seconds + PATIENCE_SECONDS,
          );
    const cpuAfter = readCpuSeconds(pid, true);
    const { rows } = await query<{ redeemed: number }>(databaseUrl, statement('bench-data.redeemed').text);
    const expected = shape === 'caller' ? 0 : count;
    if (rows[0]?.redeemed !== expected) {
      throw new Error(`The direct calls count ${expected} refreshes, the database ${rows[0]?.redeemed}`);
    }
    if (cpuBefore === undefined || cpuAfter === undefined) return sample;
    return { ...sample, cpuMicroseconds: { database: ((cpuAfter - cpuBefore) * 1e6) / count } };
  }

  /** Password verifications a second without a server, by as many threads as the server has. */
  async hashRaw(job: Omit<RawHashJob, 'seconds'>): Promise<Sample> {
    const { engine, ...sample } = await this.#raw.run(
      { ...job, seconds: this.seconds },
      this.seconds + PATIENCE_SECONDS,
    );
    this.engine = engine;
    return sample;
  }

  /** Password grants at ten times what can be hashed, and a little GET /user beside it. */
  async storm(server: ServerUnderTest, accounts: readonly Account[], rawPerSecond: number): Promise<StormSample> {
    const common = { url: server.url, accounts, warmUpSeconds: STORM_WARM_UP_SECONDS, seconds: this.seconds };
    const patience = this.seconds + PATIENCE_SECONDS;
    const watch = watchMemory(server.pid);
    const [storm, user] = await Promise.all([
      this.#storm.run({ ...common, traffic: 'password', requestsPerSecond: rawPerSecond * OVERLOAD }, patience),
      this.#probe.run({ ...common, traffic: 'user', requestsPerSecond: USERS_PER_SECOND }, patience),
    ]).finally(() => watch.stop());
    const { 503: _shed, ...others } = storm.statuses;
    assertGood('password grants in the storm', others, storm.goodPerSecond);
    assertGood('GET /user in the storm', user.statuses, user.goodPerSecond);
    return { storm: sampleOf(storm), user: sampleOf(user), residentBytes: watch.most() };
  }

  /** GET /user as beside the storm, without it. */
  async paceUsers(server: ServerUnderTest, accounts: readonly Account[]): Promise<Sample> {
    const common = { url: server.url, accounts, warmUpSeconds: WARM_UP_SECONDS, seconds: this.seconds };
    const user = await this.#probe.run(
      { ...common, traffic: 'user', requestsPerSecond: USERS_PER_SECOND },
      this.seconds + PATIENCE_SECONDS,
    );
    assertGood('GET /user', user.statuses, user.goodPerSecond);
    return sampleOf(user);
  }

  /** Password and refresh grants while something is done to the server. @returns every refresh token it has handed out */
  async stormFor(server: ServerUnderTest, accounts: readonly Account[], seconds: number): Promise<string[]> {
    const common = { url: server.url, accounts, warmUpSeconds: 0, seconds };
    const results = await Promise.all([
      this.#storm.run({ ...common, traffic: 'password', requestsPerSecond: 500 }, seconds + PATIENCE_SECONDS),
      this.#probe.run({ ...common, traffic: 'refresh', requestsPerSecond: 500 }, seconds + PATIENCE_SECONDS),
    ]);
    return results.flatMap(({ acknowledged }) => acknowledged);
  }

  end(): void {
    for (const each of [this.#load, this.#direct, this.#raw, this.#storm, this.#probe]) each.end();
  }
}

function worker<Job extends object, Answer>(name: string): Worker<Job, Answer> {
  return new Worker<Job, Answer>(new URL(`./${name}-process.js`, import.meta.url));
}

function sampleOf({ goodPerSecond, p50Ms, p99Ms, statuses }: PacedResult): Sample {
  return { requestsPerSecond: goodPerSecond, p50Ms, p99Ms, statuses };
}

function assertGood(what: string, statuses: Readonly<Record<string, number>>, goodPerSecond: number): void {
  const bad = Object.entries(statuses).filter(([status]) => !/^2\d\d$/.test(status));
  if (bad.length > 0) {
    throw new Error(`${what}: not every answer was 2xx (${bad.map(([s, n]) => `${n} × ${s}`).join(', ')})`);
  }
  if (goodPerSecond === 0) throw new Error(`${what}: nothing was answered`);
}

/** @returns the most resident memory of a process since the call */
export function watchMemory(pid: number): { most(): number | undefined; stop(): void } {
  let most: number | undefined;
  const timer = setInterval(() => {
    const now = readResidentBytes(pid);
    if (now !== undefined) most = Math.max(most ?? 0, now);
  }, 100);
  return { most: () => most, stop: () => clearInterval(timer) };
}

/** Memory of a server that has started and served nobody. */
export async function measureIdleMemory(server: ServerUnderTest): Promise<number | undefined> {
  await pause(1000);
  return readResidentBytes(server.pid);
}
