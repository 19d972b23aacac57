/** The database work of a request without a server: pg clients in a process of their own, each with its own session. */
import pg from 'pg';
import { serveJobs } from './processes.js';
import { statement } from './statements.js';
import { percentile } from './statistics.js';

export interface OpenSession {
  readonly id: string;
  readonly user_id: string;
  /** Of the account, as the statements report it; without it they tell the whole account. */
  readonly version?: string;
}

export interface DirectJob {
  readonly databaseUrl: string;
  /**
   * The server's statement of a refresh, of GET /user or of the look-up before a password is checked; or a refresh as six
   * round trips (bench/sql).
   */
  readonly shape: 'redeem' | 'caller' | 'lookUp' | 'sixRoundTrips';
  /** One client each; generation 0. */
  readonly sessions: readonly OpenSession[];
  /** Addresses to look up, in turn. */
  readonly emails?: readonly string[];
  readonly seconds: number;
}

export interface DirectResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
}

const USER_AGENT = 'bench';
const IP = '127.0.0.1';

type Shape = (client: pg.Client, session: OpenSession, generation: number, email: string) => Promise<void>;

const shapes: Record<DirectJob['shape'], Shape> = {
  async redeem(client, { id, version }, generation) {
    const values = [id, generation, USER_AGENT, IP, null, null, null, version];
    assertOne(await run(client, 'sessions.redeem_refresh_token', values));
  },
  async caller(client, { id, user_id, version }) {
    if (version === undefined) assertOne(await run(client, 'users.caller', [user_id, id]));
    else if ((await run(client, 'users.known_caller', [user_id, id, version])).length > 0) {
      throw new Error('An account has changed that nobody changes');
    }
  },
  async lookUp(client, _session, _generation, email) {
    assertOne(await run(client, 'users.user_for_sign_in_by_email', [email, 'authenticated', null]));
  },
  async sixRoundTrips(client, { id }, generation) {
    await run(client, 'six-round-trips.begin', []);
    const [session] = assertOne(await run(client, 'six-round-trips.session', [id, generation]));
    assertOne(await run(client, 'six-round-trips.user', [session!['user_id']]));
    await run(client, 'six-round-trips.rotate', [id, USER_AGENT, IP]);
    await run(client, 'six-round-trips.identities', [session!['user_id']]);
    await run(client, 'six-round-trips.commit', []);
  },
};

async function run(client: pg.Client, key: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const { name, text } = statement(key);
  return (await client.query<Record<string, unknown>>({ name, text, values })).rows;
}

function assertOne<Row>(rows: Row[]): Row[] {
  if (rows.length !== 1) throw new Error(`A statement gave ${rows.length} rows instead of one`);
  return rows;
}

async function measure(job: DirectJob): Promise<DirectResult> {
  const work = shapes[job.shape];
  const clients = job.sessions.map(() => new pg.Client({ connectionString: job.databaseUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  const { emails = [''] } = job;
  let taken = 0;
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + job.seconds * 1000;
  await Promise.all(
    clients.map(async (client, index) => {
      let nowMs = performance.now();
      for (let generation = 0; nowMs < endMs; generation += 1) {
        await work(client, job.sessions[index]!, generation, emails[taken++ % emails.length]!);
        const doneMs = performance.now();
        latenciesMs.push(doneMs - nowMs);
        nowMs = doneMs;
      }
    }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    requestsPerSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    count: sorted.length,
  };
}

serveJobs(measure);
