/** Gives the tables of a database to the nodes of its Citus cluster (docs/growing.md), and says how they are given. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Connection, clientConfig } from '../connection.js';
import { applyPrefix } from '../statements.js';
import { citusStatements } from './statements.js';

/** Each node has a copy of these: what a refresh joins, and what triggers of sessions read. */
const COPIED = [
  'users',
  'identities',
  'organizations',
  'organization_members',
  'oauth_clients',
  'scim_bans',
  'event_log',
];
const OLDEST = 12;
/** Split of each worker: few, so that a batch holds many sessions, and enough to move some to a new worker. */
const SHARDS_OF_WORKER = 4;

/** A cluster as it is now. */
export interface ClusterLayout {
  /** `13.2-1` */
  readonly version: string;
  /** Shards and sessions (an estimate of Postgres) of each worker, by `host:port`. */
  readonly nodes: readonly { readonly node: string; readonly shards: number; readonly bytes: number }[];
  /** Each problem with its remedy. */
  readonly problems: readonly string[];
}

export interface DistributeOptions {
  readonly url: string;
  /** From prefixOf(). */
  readonly prefix: string;
  /** Called with each step that was not done before. */
  readonly onStep: (text: string) => void;
}

/** The database cannot be distributed; the message says why, and what to do. */
export class CannotDistributeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotDistributeError';
  }
}

/**
 * Distributes sessions by their id, and gives each node a copy of what belongs to them. What is done already is left out, so it
 * can be run again after a failure, after a release, and after a node was added. Call it on a migrated database.
 * @throws CannotDistributeError, or the pg error of the step that failed
 */
export async function distributeTables({ url, prefix, onStep }: DistributeOptions): Promise<void> {
  await withClient(url, async (client) => {
    const lock = `${prefix}distribute`;
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as is_mine', [lock]);
    if (!rows[0].is_mine) throw new CannotDistributeError('Another process is distributing this database.');
    const workers = await requireCluster(client);
    await client.query('set citus.enable_unsafe_triggers = on; set citus.enable_manual_changes_to_shards = on');
    const done = await readTables(client);
    const table = (name: string): string => `${prefix}${name}`;
    for (const [name, key] of [
      ['moved_tokens', 'moved_tokens_session_id_fkey'],
      ['one_time_tokens', 'one_time_tokens_session_id_fkey'],
    ] as const) {
      await client.query(applyPrefix(`alter table /*p*/${name} drop constraint if exists /*p*/${key}`, prefix));
    }
    for (const name of COPIED) {
      if (done.has(table(name))) continue;
      await client.query('select create_reference_table($1::regclass)', [`"${table(name)}"`]);
      onStep(`each node has a copy of ${table(name)}`);
    }
    if (!done.has(table('sessions'))) {
      await client.query("select create_distributed_table($1::regclass, 'id', shard_count := $2)", [
        `"${table('sessions')}"`,
        workers * SHARDS_OF_WORKER,
      ]);
      onStep(`${table('sessions')} is distributed by id`);
    }
    await client.query(readScript('tables', prefix));
    if (!done.has(table('session_log'))) {
      await client.query("select create_distributed_table($1::regclass, 'session_id', colocate_with := $2)", [
        `"${table('session_log')}"`,
        table('sessions'),
      ]);
    }
    await client.query(applyPrefix('drop trigger if exists /*p*/sessions_renew_user on /*p*/sessions', prefix));
    await client.query(readScript('triggers', prefix));
    await client.query(readScript('placements', prefix));
    // renew_event_recording enables and disables triggers, of tables that are distributed now.
    const name = client.escapeIdentifier((await client.query('select current_database() as name')).rows[0].name);
    await client.query(`alter database ${name} set citus.enable_unsafe_triggers = on`);
  });
}

/** @returns undefined where the database is not distributed, and has no part of it */
export async function readClusterLayout(url: string, prefix: string): Promise<ClusterLayout | undefined> {
  return withClient(url, async (client) => {
    const version = await readVersion(client);
    if (version === undefined) return undefined;
    const tables = await readTables(client);
    const missing = [...COPIED, 'sessions', 'session_log'].filter((name) => !tables.has(prefix + name));
    if (missing.length === COPIED.length + 2) return undefined;
    const problems: string[] = [];
    if (missing.length > 0) {
      problems.push(
        `The database is distributed in part: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Run latchkey migrate --distribute again.`,
      );
    }
    const nodes = missing.includes('sessions') ? [] : await readNodes(client, prefix);
    const most = Math.max(...nodes.map(({ shards }) => shards));
    if (nodes.some(({ shards }) => shards < most - 1)) {
      problems.push('The shards are not balanced. Run select citus_rebalance_start() at the coordinator.');
    }
    return { version, nodes, problems };
  });
}

async function readNodes(client: pg.ClientBase, prefix: string): Promise<ClusterLayout['nodes']> {
  const { text } = citusStatements(prefix).get('layout.nodes')!;
  const { rows } = await client.query(text);
  return rows.map(({ host, port, shards, bytes }) => ({ node: `${host}:${port}`, shards, bytes: Number(bytes) }));
}

/** @returns the number of workers. @throws CannotDistributeError */
async function requireCluster(client: pg.ClientBase): Promise<number> {
  const version = await readVersion(client);
  if (version === undefined) {
    throw new CannotDistributeError(
      'This database has no extension citus. Install Citus on all nodes, then: create extension citus',
    );
  }
  if (Number.parseInt(version, 10) < OLDEST) {
    throw new CannotDistributeError(`Citus ${version} is too old: ${OLDEST} or later is needed.`);
  }
  const { rows } = await client.query(
    'select groupid, nodename, nodeport, isactive, metadatasynced, shouldhaveshards from pg_dist_node where noderole = $1 order by groupid',
    ['primary'],
  );
  if (!rows.some(({ groupid }) => groupid === 0)) {
    throw new CannotDistributeError(
      "The coordinator is not in its own list of nodes: select citus_set_coordinator_host('HOST', PORT)",
    );
  }
  const isCoordinator = (await client.query('select citus_is_coordinator() as here')).rows[0].here;
  if (!isCoordinator) throw new CannotDistributeError('This is a worker. DATABASE_URL has to name the coordinator.');
  const workers = rows.filter(({ shouldhaveshards }) => shouldhaveshards);
  if (workers.length === 0) {
    throw new CannotDistributeError("There is no worker: select citus_add_node('HOST', PORT)");
  }
  const lame = rows.find(({ isactive, metadatasynced }) => !isactive || !metadatasynced);
  if (lame !== undefined) {
    throw new CannotDistributeError(
      `The node ${lame.nodename}:${lame.nodeport} is not active: select citus_activate_node('${lame.nodename}', ${lame.nodeport})`,
    );
  }
  return workers.length;
}

async function readVersion(client: pg.ClientBase): Promise<string | undefined> {
  return (await client.query("select extversion from pg_extension where extname = 'citus'")).rows[0]?.extversion;
}

/** Tables of which Citus has a copy on each node, or shards. */
async function readTables(client: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await client.query(
    `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' or p.repmodel = 't'`,
  );
  return new Set(rows.map(({ name }) => name));
}

const readScript = (name: string, prefix: string): string =>
  applyPrefix(
    readFileSync(fileURLToPath(new URL(`../../../../sql/citus/${name}.sql`, import.meta.url)), 'utf8'),
    prefix,
  );

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new Connection(
    clientConfig({ url, connectTimeoutMs: 5000, statementTimeoutMs: 0, sendsTimeouts: false }),
  );
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
