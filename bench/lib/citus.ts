/** Refreshes on a Citus cluster and on one Postgres: the same statements, the same callers, processor time of all nodes. */
import { rmSync } from 'node:fs';
import pg from 'pg';
import { cachedSession } from '../../src/db/account-cache.js';
import { openCitusDatabase } from '../../src/db/citus/routed-database.js';
import { coordinatorStatements, shardKey, shardStatements } from '../../src/db/citus/statements.js';
import { endOwnSession } from '../../src/db/log-outs.js';
import { migrate } from '../../src/db/migrate.js';
import { openDatabase } from '../../src/db/pool.js';
import type { DatabaseOptions, DatabasePool } from '../../src/db/pool-options.js';
import { redeemGeneration } from '../../src/db/sessions.js';
import { ownStatements, type Statement } from '../../src/db/statements.js';
import { type CitusNode, startCitusCluster, startPlainNode, withClient } from '../../test/support/citus/cluster.js';
import { makeDistributedDatabase, readShardMap } from '../../test/support/citus/distributed.js';
import { makeScratchDirectory } from '../../test/support/postgres.js';
import type { Run } from './command.js';
import { readCpuSeconds } from './process-usage.js';

export interface CitusOptions {
  readonly turns: number;
  readonly seconds: number;
  readonly gates: boolean;
}

/**
 * Ways to refresh: at one Postgres and at the node of the session, singly and in batches, where all callers have sessions of one shard or
 * of all shards; and through the coordinator.
 */
export const WAYS = [
  'plain',
  'owner',
  'coordinator',
  'plainBatches',
  'ownerBatches',
  'spreadBatches',
  'plainSignIn',
  'signIn',
  'plainLogOut',
  'logOut',
] as const;
export type Way = (typeof WAYS)[number];

export interface CitusFigures {
  /** Microseconds of processor time of all Postgres processes for one refresh, sign-in or log-out, by turn. */
  readonly cpuMicroseconds: Readonly<Record<Way, readonly number[]>>;
  /** A second. */
  readonly rates: Readonly<Record<Way, readonly number[]>>;
  readonly citusVersion: string;
}

const SESSIONS = 1280;
/** Of a measurement in batches. */
const REFRESHED = 128;
const SINGLE_CALLERS = 8;
const BATCH_CALLERS = 64;
const SIGN_IN_CALLERS = 8;
/** More than there are, each with a session of its own. */
const MOST_LOG_OUTS_A_SECOND = 16_000;
const quiet = () => undefined;
const log: DatabaseOptions['log'] = { debug: quiet, info: quiet, warn: quiet };
const optionsOf = (url: string): DatabaseOptions => ({
  url,
  maxConnections: 20,
  prefix: '',
  preparedStatements: true,
  log,
});
const REDEEM = 'sessions.redeem_refresh_token';

interface Person {
  readonly userId: string;
  readonly sessionId: string;
}

export async function measureCitus({ progress }: Run, { turns, seconds }: CitusOptions): Promise<CitusFigures> {
  const pgConfig = process.env['CITUS_PG_CONFIG'] ?? 'pg_config';
  const directory = makeScratchDirectory();
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const plain = await startPlainNode(pgConfig, directory);
    stops.push(() => plain.stop());
    const cluster = await startCitusCluster(pgConfig);
    stops.push(() => cluster.stop());
    progress('four servers run');
    await migrate({ url: plain.url, prefix: '' });
    const citusUrl = await makeDistributedDatabase(cluster.coordinator.url, 'bench');
    const citusVersion = await withClient(citusUrl, async (client) => {
      const { rows } = await client.query("select extversion from pg_extension where extname = 'citus'");
      return rows[0].extversion as string;
    });
    const people = {
      plain: await openSessions(plain.url, 'sessions'),
      citus: await openSessions(citusUrl, 'new_sessions'),
    };
    // Plans depend on what is known of the tables.
    for (const url of [plain.url, citusUrl]) await withClient(url, (client) => client.query('vacuum analyze'));
    const nodes = [plain, cluster.coordinator, ...cluster.workers];
    const figures = Object.fromEntries(WAYS.map((way) => [way, { cpu: [] as number[], rate: [] as number[] }]));
    for (let turn = 0; turn < turns; turn++) {
      for (const way of WAYS) {
        const [url, of] = isPlain(way) ? [plain.url, people.plain] : [citusUrl, people.citus];
        const { cpuMicroseconds, perSecond } = await measureWay(way, { url, people: of, nodes, seconds });
        figures[way]!.cpu.push(cpuMicroseconds);
        figures[way]!.rate.push(perSecond);
        progress(`turn ${turn + 1}, ${way}: ${cpuMicroseconds.toFixed(0)} µs, ${perSecond.toFixed(0)}/s`);
      }
    }
    const collect = (of: 'cpu' | 'rate') =>
      Object.fromEntries(WAYS.map((way) => [way, figures[way]![of]])) as Record<Way, number[]>;
    return { cpuMicroseconds: collect('cpu'), rates: collect('rate'), citusVersion };
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param into where sessions begin */
const openSessions = (url: string, into: 'sessions' | 'new_sessions'): Promise<Person[]> =>
  withClient(url, async (client) => {
    const { rows: users } = await client.query(
      `insert into users (id, aud, role, email, password_hash)
       select gen_random_uuid(), 'authenticated', 'authenticated', n || '@bench.example', 'x' from generate_series(1, ${SESSIONS}) n
       returning id`,
    );
    const people: Person[] = [];
    for (const { id } of users) {
      const { rows } = await client.query(`insert into ${into} (user_id) values ($1) returning id`, [id]);
      people.push({ userId: id, sessionId: rows[0].id });
    }
    return people;
  });

interface WayOptions {
  readonly url: string;
  readonly people: readonly Person[];
  readonly nodes: readonly CitusNode[];
  readonly seconds: number;
}

async function measureWay(way: Way, { url, people, nodes, seconds }: WayOptions) {
  await withClient(url, (client) => client.query('update sessions set generation = 0'));
  const { call, callers, close } = await openWay(way, url, people, seconds);
  try {
    // Connections are opened and statements prepared.
    await loopFor(0.5, callers, call);
    const cpu = (): number => nodes.reduce((sum, node) => sum + (readCpuSeconds(node.pid(), true) ?? 0), 0);
    const [cpuBefore, startMs] = [cpu(), performance.now()];
    const count = await loopFor(seconds, callers, call);
    const elapsedSeconds = (performance.now() - startMs) / 1000;
    return { cpuMicroseconds: ((cpu() - cpuBefore) * 1e6) / count, perSecond: count / elapsedSeconds };
  } finally {
    await close();
  }
}

/** One step of a caller; it has people of its own. */
type Call = (caller: number) => Promise<void>;

const isPlain = (way: Way): boolean => way.startsWith('plain');

const openFor = (way: Way, url: string): DatabasePool =>
  isPlain(way) ? openDatabase(optionsOf(url)) : openCitusDatabase(optionsOf(url));

async function openWay(
  way: Way,
  url: string,
  people: readonly Person[],
  seconds: number,
): Promise<{ call: Call; callers: number; close: () => Promise<unknown> }> {
  if (way === 'plainBatches' || way === 'ownerBatches' || way === 'spreadBatches') {
    const database = openFor(way, url);
    const chosen = way === 'ownerBatches' ? await ofOneShard(url, people) : people;
    return {
      call: refreshBatched(database, chosen.slice(0, REFRESHED)),
      callers: BATCH_CALLERS,
      close: () => database.close(),
    };
  }
  if (way === 'plainSignIn' || way === 'signIn') {
    const database = openFor(way, url);
    return { call: signIn(database, people), callers: SIGN_IN_CALLERS, close: () => database.close() };
  }
  if (way === 'plainLogOut' || way === 'logOut') {
    const database = openFor(way, url);
    const sessions = await addSessions(url, Math.ceil((seconds + 1) * MOST_LOG_OUTS_A_SECOND));
    return {
      call: logOut(database, sessions),
      callers: SIGN_IN_CALLERS,
      close: async () => {
        await database.close();
        await withClient(url, async (client) => {
          await client.query('delete from sessions where user_agent = $1', [LEFT]);
          // Else the server does it while the next way is measured.
          await client.query('vacuum analyze sessions');
        });
      },
    };
  }
  return openSingly(way, url, people);
}

/** Of sessions that are there to be ended. */
const LEFT = 'log-out';

const addSessions = (url: string, count: number): Promise<Person[]> =>
  withClient(url, async (client) => {
    await client.query(
      `insert into sessions (id, user_id, user_agent)
       select gen_random_uuid(), u.id, $1 from users u cross join generate_series(1, $2) limit $3`,
      [LEFT, Math.ceil(count / SESSIONS), count],
    );
    const { rows } = await client.query('select id, user_id from sessions where user_agent = $1', [LEFT]);
    return rows.map(({ id, user_id: userId }) => ({ userId, sessionId: id }));
  });

function logOut(database: DatabasePool, sessions: Person[]): Call {
  return async () => {
    const session = sessions.pop();
    if (session === undefined) throw new Error('All sessions have ended: MOST_LOG_OUTS_A_SECOND is too small.');
    await endOwnSession(database, session.userId, session.sessionId, []);
  };
}

async function ofOneShard(url: string, people: readonly Person[]): Promise<Person[]> {
  const map = await readShardMap(url);
  const first = map.find(people[0]!.sessionId).id;
  return people.filter(({ sessionId }) => map.find(sessionId).id === first);
}

function refreshBatched(database: DatabasePool, people: readonly Person[]): Call {
  const generations = people.map(() => 0);
  const rules = {
    bounds: { timeboxSeconds: null, inactivitySeconds: null, singlePerTag: null },
    renewedAt: null,
    oauthClient: null,
  };
  const steps = Array.from({ length: BATCH_CALLERS }, () => 0);
  return async (caller) => {
    const at = caller + BATCH_CALLERS * (steps[caller]!++ % (REFRESHED / BATCH_CALLERS));
    const token = { sessionId: people[at]!.sessionId, generation: generations[at]!++ };
    const known = cachedSession(database, token.sessionId);
    const found = await redeemGeneration(database, token, { userAgent: 'bench', ip: '127.0.0.1' }, rules, known);
    if (found === undefined) throw new Error(`The refresh ${token.generation} of a session was refused.`);
  };
}

function signIn(database: DatabasePool, people: readonly Person[]): Call {
  let next = 0;
  return async () => {
    const { userId } = people[next++ % people.length]!;
    const values = [userId, 'x', null, 'password', 'bench', '127.0.0.1', '[]', null];
    if ((await database.run('sessions.open_session', values)).length !== 1) throw new Error('A sign-in was refused.');
  };
}

/** Each caller has a connection, to the node of its sessions or to the coordinator. */
async function openSingly(way: 'plain' | 'owner' | 'coordinator', url: string, people: readonly Person[]) {
  const map = way === 'owner' ? await readShardMap(url) : undefined;
  const statementOf = (sessionId: string): Statement => {
    if (way === 'plain') return ownStatements('').get(REDEEM)!;
    if (map === undefined) return coordinatorStatements('').get(REDEEM)!;
    const { id: shard, records } = map.find(sessionId);
    return shardStatements('', { shard, records, copies: map.copies }).get(shardKey(REDEEM, shard))!;
  };
  const clients = await Promise.all(
    people.slice(0, SINGLE_CALLERS).map(async ({ sessionId }) => {
      const place = new URL(url);
      if (map !== undefined) {
        place.host = map.find(sessionId).node;
        place.searchParams.set('options', '-c citus.enable_manual_changes_to_shards=on');
      }
      const client = new pg.Client({ connectionString: place.href });
      await client.connect();
      return client;
    }),
  );
  const generations = clients.map(() => 0);
  const versions: (string | null)[] = clients.map(() => null);
  const statements = people.slice(0, SINGLE_CALLERS).map(({ sessionId }) => statementOf(sessionId));
  const call: Call = async (caller) => {
    const { name, text } = statements[caller]!;
    const values = [people[caller]!.sessionId, generations[caller]!++, 'bench', '127.0.0.1', versions[caller]!, null];
    const { rows } = await clients[caller]!.query({ name, text, values });
    if (rows.length !== 1) throw new Error('A refresh was refused.');
    const { news } = rows[0];
    // As a server that remembers the account.
    if (news !== null) versions[caller] = `${news.version} ${news.facts_version}`;
  };
  return { call, callers: SINGLE_CALLERS, close: () => Promise.all(clients.map((client) => client.end())) };
}

async function loopFor(seconds: number, callers: number, call: Call): Promise<number> {
  const endMs = performance.now() + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < endMs) {
        await call(caller);
        count += 1;
      }
    }),
  );
  return count;
}
