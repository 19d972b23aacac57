/** The same requests against databases of several sizes, in alternating rounds. */
import { type BenchDatabase, query } from './database.js';
import type { DirectJob, DirectResult } from './direct-process.js';
import { fillDatabase, type Relation, readRelations, sampleSessions } from './growth-data.js';
import { LoadGenerator } from './load-generator.js';
import type { Sample } from './measurements.js';
import { Worker } from './processes.js';
import type { Say } from './run-bench.js';
import { type ServerOptions, type ServerUnderTest, startServerUnderTest } from './servers.js';
import { statement } from './statements.js';
import { openTokenMint, type SampledSession, type TokenMint } from './token-mint.js';
import type { Account, Traffic } from './traffic.js';
import { readCpuSeconds } from './usage.js';

export const growthSeries = {
  refresh: 'refresh grant',
  user: 'GET /user',
  lookUp: 'password look-up, no hashing',
  page: 'page of accounts by cursor',
  countedPage: 'page of accounts by number, which counts them',
} as const;

export type GrowthSeries = keyof typeof growthSeries;

export interface SizeResult {
  readonly users: number;
  readonly fillSeconds: number;
  readonly relations: readonly Relation[];
  readonly samples: Readonly<Record<GrowthSeries, Sample[]>>;
}

export interface GrowthOptions {
  readonly root: string;
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Of Postgres. */
  readonly sharedBuffersGb: number;
}

const CONNECTIONS = 64;
const PAGE_CONNECTIONS = 8;
const LOOK_UP_CLIENTS = 8;
const WARM_UP_SECONDS = 0.5;
const PATIENCE_SECONDS = 60;
/** Accounts the load is spread over, so that it does not live in a few pages of a large table. */
const MOST_ACCOUNTS = 20_000;

interface Subject {
  readonly users: number;
  readonly url: string;
  readonly server: ServerUnderTest;
  readonly mint: TokenMint;
  readonly sessions: readonly SampledSession[];
  readonly fillSeconds: number;
  readonly samples: Record<GrowthSeries, Sample[]>;
}

/** @throws when an answer was not 2xx or a process failed */
export async function measureGrowth(database: BenchDatabase, wanted: GrowthOptions, say: Say): Promise<SizeResult[]> {
  const load = new LoadGenerator();
  const direct = new Worker<DirectJob, DirectResult>(new URL('./direct-process.js', import.meta.url));
  const subjects: Subject[] = [];
  for (const users of wanted.sizes) subjects.push(await openSubject(database, wanted.root, users, say));

  const measures: Record<GrowthSeries, (subject: Subject) => Promise<Sample>> = {
    refresh: async (subject) => loadWith(subject, 'refresh', await accountsOf(subject)),
    user: async (subject) => loadWith(subject, 'user', await accountsOf(subject)),
    page: async (subject) => loadWith(subject, 'page', subject.sessions.map(subject.mint.readerAt), PAGE_CONNECTIONS),
    lookUp: async ({ url, sessions }) => {
      const job = {
        databaseUrl: url,
        shape: 'lookUp',
        sessions: sessions.slice(0, LOOK_UP_CLIENTS).map(({ session_id, user_id }) => ({ id: session_id, user_id })),
        emails: sessions.map(({ email }) => email),
        seconds: wanted.seconds,
      } as const;
      return withCpu(async () => direct.run(job, wanted.seconds + PATIENCE_SECONDS));
    },
    countedPage: ({ server, mint }) =>
      withCpu(() => readCountedPages(server.url, mint.operatorToken(), wanted.seconds)),
  };

  async function loadWith(
    { server }: Subject,
    traffic: Traffic,
    accounts: readonly Account[],
    connections = CONNECTIONS,
  ): Promise<Sample> {
    const common = { warmUpSeconds: WARM_UP_SECONDS, seconds: wanted.seconds, databasePid: database.pid };
    const result = await load.run(
      { ...common, url: server.url, serverPid: server.pid, traffic, accounts, connections },
      wanted.seconds + PATIENCE_SECONDS,
    );
    const bad = Object.entries(result.statuses).filter(([status]) => !/^2\d\d$/.test(status));
    if (bad.length > 0)
      throw new Error(`${traffic}: answered ${bad.map(([status, n]) => `${n} × ${status}`).join(', ')}`);
    return result;
  }

  async function withCpu(work: () => Promise<Sample & { readonly count: number }>): Promise<Sample> {
    const before = readCpuSeconds(database.pid, true);
    const { count, ...sample } = await work();
    const after = readCpuSeconds(database.pid, true);
    if (before === undefined || after === undefined || count === 0) return sample;
    return { ...sample, cpuMicroseconds: { database: ((after - before) * 1e6) / count } };
  }

  for (let round = 0; round <= wanted.rounds; round += 1) {
    for (const series of Object.keys(growthSeries) as GrowthSeries[]) {
      for (const subject of subjects) {
        const sample = await measures[series](subject);
        // The first round only warms server and caches.
        if (round > 0) subject.samples[series].push(sample);
        const rate = sample.requestsPerSecond.toFixed(sample.requestsPerSecond < 100 ? 1 : 0);
        say(
          `round ${round}/${wanted.rounds}  ${growthSeries[series]}, ${subject.users.toLocaleString('en')} users: ${rate}/s`,
        );
      }
    }
  }
  for (const { server } of subjects) await server.stop();
  load.end();
  direct.end();
  return Promise.all(
    subjects.map(async ({ users, url, fillSeconds, samples }) => {
      return { users, fillSeconds, relations: await readRelations(url), samples };
    }),
  );
}

async function openSubject(database: BenchDatabase, root: string, users: number, say: Say): Promise<Subject> {
  const startMs = performance.now();
  const url = await fillDatabase(database, users, say);
  const fillSeconds = Math.round((performance.now() - startMs) / 1000);
  const options: ServerOptions = { root, databaseUrl: url, cwd: database.directory, logLevel: 'info' };
  const sessions = await sampleSessions(url, MOST_ACCOUNTS);
  const samples = { refresh: [], user: [], lookUp: [], page: [], countedPage: [] };
  return {
    ...{ users, url, sessions, fillSeconds, samples, mint: openTokenMint(options) },
    server: await startServerUnderTest(options),
  };
}

/** With the refresh tokens that are current, wherever the last round has left them. */
async function accountsOf({ url, sessions, mint }: Subject): Promise<Account[]> {
  const { rows } = await query<{ session_id: string; generation: number }>(url, statement('growth.generations').text, [
    sessions.map(({ session_id }) => session_id),
  ]);
  const generations = new Map(rows.map(({ session_id, generation }) => [session_id, generation]));
  return sessions.map((session) => mint.accountOf(session, generations.get(session.session_id) ?? 0));
}

/**
 * One after another: on a large table one of them keeps the database busy for seconds. What takes longer than the server lets
 * a statement take is answered 503 and not counted.
 */
async function readCountedPages(url: string, bearer: string, seconds: number): Promise<Sample & { count: number }> {
  const startMs = performance.now();
  let count = 0;
  do {
    const answer = await fetch(`${url}/admin/users?page=1&per_page=50`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    await answer.text();
    if (answer.status === 200) count += 1;
    else if (answer.status !== 503) throw new Error(`GET /admin/users?page=1 was answered ${answer.status}`);
  } while (performance.now() - startMs < seconds * 1000);
  return { requestsPerSecond: (count * 1000) / (performance.now() - startMs), count };
}
