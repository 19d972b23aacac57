/** The same requests to databases of several sizes, in alternating rounds. */
import type { Run } from './command.js';
import { query, statement } from './database.js';
import { assertDiskSpace, fillDatabase, readTableSizes, sampleSessions, type TableSizes } from './growth-data.js';
import { Rig, type Sample } from './rig.js';
import { type ServerUnderTest, startServer } from './servers.js';
import type { StatementResult } from './statement-loop.js';
import { formatNumber } from './table.js';
import { openTokenMint, type SampledSession, type TokenMint } from './tokens.js';

export const growthSeries = {
  refresh: 'refresh grant',
  user: 'GET /user',
  lookUp: 'password look-up, no hashing',
  page: 'page of users by cursor',
  countedPage: 'page of users by number, which counts them',
  lastPage: 'last page by number',
  oneEmail: 'filter by an email address',
  oneMatch: 'filter by part of an address, one match',
} as const;

export type GrowthSeries = keyof typeof growthSeries;

/** Requests that keep the database busy for seconds on a large table: one after another. */
const lists: Readonly<Partial<Record<GrowthSeries, (users: number) => string>>> = {
  countedPage: () => 'page=1&per_page=50',
  lastPage: (users) => `page=${Math.ceil(users / 50)}&per_page=50`,
  oneEmail: () => 'email=person-424%40example.com',
  oneMatch: () => 'filter=person-424%40',
};

export interface SizeResult {
  readonly users: number;
  readonly fillSeconds: number;
  readonly tables: TableSizes;
  /** A recorded run may be older than a series. */
  readonly samples: Readonly<Partial<Record<GrowthSeries, readonly Sample[]>>>;
}

export interface GrowthOptions {
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Of Postgres. */
  readonly sharedBuffersGb: number;
}

export interface Growth {
  readonly sizes: readonly SizeResult[];
}

const CONNECTIONS = 64;
const PAGE_CONNECTIONS = 8;
const LOOK_UP_CLIENTS = 8;
/** Users that the load is spread over, so that it touches many pages of a large table. */
const MOST_USERS = 20_000;

interface Subject {
  readonly users: number;
  readonly url: string;
  readonly server: ServerUnderTest;
  readonly mint: TokenMint;
  readonly sessions: readonly SampledSession[];
  readonly fillSeconds: number;
  readonly samples: Partial<Record<GrowthSeries, Sample[]>>;
}

/** @throws when an answer was not as expected or a process failed */
export async function measureGrowth(run: Run, { sizes, rounds, seconds }: GrowthOptions): Promise<Growth> {
  assertDiskSpace(sizes, run.progress);
  const rig = new Rig(run.database, seconds);
  const subjects: Subject[] = [];
  for (const users of sizes) subjects.push(await openSubject(run, users));

  async function measure(series: GrowthSeries, { users, url, server, mint, sessions }: Subject): Promise<Sample> {
    const list = lists[series];
    if (list !== undefined) {
      const path = `${server.url}/admin/users?${list(users)}`;
      return rig.withDatabaseCpu(() => readLists(path, mint.operatorToken(), seconds));
    }
    if (series === 'page') {
      return rig.load(server, 'page', sessions.map(mint.readerAt), { connections: PAGE_CONNECTIONS });
    }
    if (series === 'lookUp') {
      const clients = sessions
        .slice(0, LOOK_UP_CLIENTS)
        .map(({ session_id, user_id }) => ({ id: session_id, user_id }));
      const emails = sessions.map(({ email }) => email);
      const job = { databaseUrl: url, work: 'lookUp', sessions: clients, emails, seconds } as const;
      return rig.withDatabaseCpu(() => rig.loopStatements(job));
    }
    const generations = await readGenerations(url, sessions);
    const accounts = sessions.map((session) => mint.accountOf(session, generations.get(session.session_id) ?? 0));
    return rig.load(server, series === 'refresh' ? 'refresh' : 'user', accounts, { connections: CONNECTIONS });
  }

  // Round 0 only warms servers and caches.
  for (let round = 0; round <= rounds; round += 1) {
    for (const series of Object.keys(growthSeries) as GrowthSeries[]) {
      for (const subject of subjects) {
        const sample = await measure(series, subject);
        subject.samples[series] ??= [];
        if (round > 0) subject.samples[series].push(sample);
        const users = `${subject.users.toLocaleString('en')} users`;
        run.progress(
          `round ${round}/${rounds}  ${growthSeries[series]}, ${users}: ${formatNumber(sample.requestsPerSecond)}/s`,
        );
      }
    }
  }
  for (const { server } of subjects) await server.stop();
  const results = subjects.map(async ({ users, url, fillSeconds, samples }): Promise<SizeResult> => {
    return { users, fillSeconds, tables: await readTableSizes(url), samples };
  });
  return { sizes: await Promise.all(results) };
}

async function openSubject(run: Run, users: number): Promise<Subject> {
  const startMs = performance.now();
  const url = await fillDatabase(run, users);
  const fillSeconds = Math.round((performance.now() - startMs) / 1000);
  const options = { root: run.root, databaseUrl: url, cwd: run.database.directory };
  const sessions = await sampleSessions(url, MOST_USERS);
  const [server, mint] = [await startServer(options), openTokenMint(options)];
  return { users, url, server, mint, sessions, fillSeconds, samples: {} };
}

/** Of the refresh tokens that are current. @returns by session */
async function readGenerations(url: string, sessions: readonly SampledSession[]): Promise<Map<string, number>> {
  const rows = await query<{ session_id: string; generation: number }>(url, statement('growth.generations').text, [
    sessions.map(({ session_id }) => session_id),
  ]);
  return new Map(rows.map(({ session_id, generation }) => [session_id, generation]));
}

/** What exceeds the server's statement timeout is answered 503 and not counted. */
async function readLists(url: string, bearer: string, seconds: number): Promise<StatementResult> {
  const startMs = performance.now();
  let count = 0;
  do {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
    await answer.arrayBuffer();
    if (answer.status === 200) count += 1;
    else if (answer.status !== 503) throw new Error(`${url} answered ${answer.status}`);
  } while (performance.now() - startMs < seconds * 1000);
  return { requestsPerSecond: (count * 1000) / (performance.now() - startMs), count };
}
