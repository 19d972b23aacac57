/** Gives the tables of a database to the nodes of its Citus cluster (docs/growing/citus.md). */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isSqlError } from '../errors.js';
import { retryWhereSafe } from '../retry.js';
import { applyPrefix } from '../statements.js';
import { readCitusVersion, readRelease, readScript, readTables, releaseTable, withClient } from './cluster-client.js';
import { COPIED, copyOf } from './copies.js';

const OLDEST = 12;
/** Split of each worker: few, so that a batch holds many sessions, and enough to move some to a new worker. */
const SHARDS_OF_WORKER = 4;
const FILLED_AT_ONCE = 1000;
/** Within this time all servers have noticed what is new: ten times the interval at which they look (routed-database.ts). */
const NOTICED_MS = 10_000;
const INSUFFICIENT_PRIVILEGE = '42501';
/** Comment of a copy that has all rows. */
const COMPLETE = 'complete';

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
 * Distributes sessions by their id, and gives each node a copy of what belongs to them, while servers run. What is done already is
 * left out, so it can be run again after a failure, after a release, and after a node was added. Call it on a migrated database.
 * @throws CannotDistributeError, or the pg error of the step that failed
 */
export async function distributeTables({ url, prefix, onStep }: DistributeOptions): Promise<void> {
  await withClient(url, async (client) => {
    const lock = `${prefix}distribute`;
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as is_mine', [lock]);
    if (!rows[0].is_mine) throw new CannotDistributeError('Another process is distributing this database.');
    const workers = await requireCluster(client);
    try {
      await client.query('set citus.enable_unsafe_triggers = on; set citus.enable_manual_changes_to_shards = on');
      await becomeOwner(client, prefix);
      const steps: DistributeSteps = { client, prefix, done: await readTables(client), onStep };
      await copyTables(steps);
      await distributeSessions(steps, workers * SHARDS_OF_WORKER);
      const release = client.escapeLiteral(await readRelease(client, prefix));
      await client.query(`comment on table ${client.escapeIdentifier(releaseTable(prefix))} is ${release}`);
    } catch (error) {
      if (!isSqlError(error) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
      throw new CannotDistributeError(`${error.message}. Run this command with the DATABASE_URL of a superuser.`);
    }
  });
}

/** What is made belongs to the role that has the tables, as which the servers connect. It exists on all nodes. */
async function becomeOwner(client: pg.ClientBase, prefix: string): Promise<void> {
  const { rows } = await client.query(
    'select pg_get_userbyid(c.relowner) as owner from pg_class c where c.oid = $1::regclass',
    [`"${prefix}sessions"`],
  );
  await client.query(`set role ${client.escapeIdentifier(rows[0].owner)}`);
}

interface DistributeSteps {
  readonly client: pg.ClientBase;
  readonly prefix: string;
  /** Tables that are distributed, or copied. */
  readonly done: ReadonlySet<string>;
  readonly onStep: (text: string) => void;
}

/** Makes the copies, from then on with each change of their tables, and fills them, some rows at a time. */
async function copyTables({ client, prefix, done, onStep }: DistributeSteps): Promise<void> {
  await client.query(readScript('copies', prefix));
  const call = async (sql: string, values: unknown[]) =>
    (await client.query(applyPrefix(`select ${sql} as result`, prefix), values)).rows[0].result;
  for (const [table, { key, columns }] of Object.entries(COPIED)) {
    const [from, to] = [prefix + table, prefix + copyOf(table)];
    const isNew = await call('/*p*/make_copy($1, $2, $3, $4, $5)', [
      from,
      to,
      columns?.join(', ') ?? '*',
      key,
      table === 'users',
    ]);
    const isComplete =
      done.has(to) && (await call("obj_description($1::regclass, 'pg_class')", [`"${to}"`])) === COMPLETE;
    if (isComplete && !isNew) continue;
    for (let last: string[] | null = null, isMore = true; isMore; isMore = last !== null) {
      last = await call('/*p*/fill_copy($1, $2, $3, $4, $5)', [from, to, key, last, FILLED_AT_ONCE]);
    }
    await client.query(`comment on table ${client.escapeIdentifier(to)} is ${client.escapeLiteral(COMPLETE)}`);
    onStep(`each node has a copy of ${from}`);
  }
  await client.query(readScript('shards', prefix));
  for (const name of ['hold_shard(bigint)', 'assert_shard(bigint)']) {
    await client.query('select create_distributed_function($1::regprocedure)', [applyPrefix(`/*p*/${name}`, prefix)]);
  }
}

/** Gives the sessions to the nodes, and what their triggers do to functions that need no other node. */
async function distributeSessions({ client, prefix, done, onStep }: DistributeSteps, shards: number): Promise<void> {
  const sessions = `"${prefix}sessions"`;
  const isDone = done.has(`${prefix}sessions`);
  // Citus takes the table over before it splits it, and goes on from there when that was interrupted.
  const isBegun = isDone || (await isOfCitus(client, sessions));
  await runTogether(client, [readScript('access', prefix), readScript('triggers', prefix)]);
  // From here on servers have what they need on a cluster, and use it before the sessions are what it is for.
  if (!isBegun && (await isInUse(client))) await pause(NOTICED_MS);
  await runTogether(client, [...(isBegun ? [] : [readScript('keys', prefix)]), readScript('recording', prefix)]);
  if (!isDone) {
    await client.query("select create_distributed_table_concurrently($1::regclass, 'id', shard_count := $2)", [
      sessions,
      shards,
    ]);
    onStep(`${prefix}sessions is distributed by id`);
  }
  await client.query(readScript('session-records', prefix));
  if (!done.has(`${prefix}session_records`)) {
    await client.query("select create_distributed_table($1::regclass, 'session_id', colocate_with := $2)", [
      `"${prefix}session_records"`,
      sessions,
    ]);
    onStep(`${prefix}session_records is distributed like the sessions`);
  }
}

async function isOfCitus(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query('select from pg_dist_partition where logicalrelid = $1::regclass', [table]);
  return rows.length > 0;
}

/** In one transaction. Servers that run meanwhile lock the same tables in another order, so it is repeated after a deadlock. */
const runTogether = (client: pg.ClientBase, scripts: readonly string[]): Promise<void> =>
  retryWhereSafe(false, async () => {
    try {
      await client.query(['begin', ...scripts, 'commit'].join(';\n'));
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });

/** Whether anybody else is connected to the database, but the nodes to each other. */
async function isInUse(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend'
       and a.pid <> pg_backend_pid() and a.application_name not like 'citus%' limit 1`,
  );
  return rows.length > 0;
}

/** @returns the number of workers. @throws CannotDistributeError */
async function requireCluster(client: pg.ClientBase): Promise<number> {
  const version = await readCitusVersion(client);
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
