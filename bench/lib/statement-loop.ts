/** Statements without a server: pg clients in a loop, each with a session of its own. Runs in a thread; see rig.ts. */
import { createHistogram } from 'node:perf_hooks';
import pg from 'pg';
import { statement } from './database.js';

export interface OpenSession {
  readonly id: string;
  readonly user_id: string;
}

export interface StatementJob {
  readonly databaseUrl: string;
  /** The look-up before a password check, or a refresh in six round trips (bench/sql/six-round-trips.sql). */
  readonly work: 'lookUp' | 'sixRoundTrips';
  /** One for each client; at generation 0. */
  readonly sessions: readonly OpenSession[];
  /** To look up, in turn. */
  readonly emails?: readonly string[];
  readonly seconds: number;
}

export interface StatementResult {
  readonly requestsPerSecond: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly count: number;
}

type Work = (client: pg.Client, session: OpenSession, generation: number, email: string) => Promise<unknown>;

const CLIENT = ['bench', '127.0.0.1'];

const works: Record<StatementJob['work'], Work> = {
  lookUp: (client, _session, _generation, email) =>
    runOne(client, 'users.user_for_sign_in_by_email', [email, 'authenticated', null]),
  async sixRoundTrips(client, { id, user_id }, generation) {
    await run(client, 'six-round-trips.begin', []);
    await runOne(client, 'six-round-trips.session', [id, generation]);
    await runOne(client, 'six-round-trips.user', [user_id]);
    await run(client, 'six-round-trips.rotate', [id, ...CLIENT]);
    await run(client, 'six-round-trips.identities', [user_id]);
    await run(client, 'six-round-trips.commit', []);
  },
};

async function run(client: pg.Client, key: string, values: unknown[]): Promise<unknown[]> {
  const { name, text } = statement(key);
  return (await client.query({ name, text, values })).rows;
}

async function runOne(client: pg.Client, key: string, values: unknown[]): Promise<void> {
  const { length } = await run(client, key, values);
  if (length !== 1) throw new Error(`${key} returned ${length} rows instead of one`);
}

export async function loopStatements(job: StatementJob): Promise<StatementResult> {
  const { databaseUrl, sessions, emails = [''], seconds } = job;
  const work = works[job.work];
  const clients = sessions.map(() => new pg.Client({ connectionString: databaseUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  const latencies = createHistogram();
  let next = 0;
  const startMs = performance.now();
  await Promise.all(
    clients.map(async (client, index) => {
      let nowMs = performance.now();
      for (let generation = 0; nowMs < startMs + seconds * 1000; generation += 1) {
        await work(client, sessions[index]!, generation, emails[next++ % emails.length]!);
        const doneMs = performance.now();
        latencies.record(Math.round((doneMs - nowMs) * 1e6));
        nowMs = doneMs;
      }
    }),
  );
  const { count } = latencies;
  const requestsPerSecond = (count * 1000) / (performance.now() - startMs);
  await Promise.all(clients.map((client) => client.end()));
  return { requestsPerSecond, p50Ms: latencies.percentile(50) / 1e6, p99Ms: latencies.percentile(99) / 1e6, count };
}
