/** A coordinator and two workers of an installed Citus (https://docs.citusdata.com). Nothing is installed or built here. */
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseRunner } from '../../../src/dev/postgres-binaries.js';
import {
  findRunning,
  PLAIN_ENVIRONMENT,
  type Supervisor,
  stopServer,
  superviseServer,
} from '../../../src/dev/postgres-process.js';
import { freePort } from '../free-port.js';
import { makeScratchDirectory, withDatabase } from '../postgres.js';

/** One node of the cluster. */
export interface CitusNode {
  readonly port: number;
  /** Superuser URL of the default database. */
  readonly url: string;
  /** Of its first process. */
  pid(): number;
  /** Starts it again at its port. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  crash(): Promise<void>;
}

export interface CitusCluster {
  readonly coordinator: CitusNode;
  readonly workers: readonly CitusNode[];
  /** Starts a streaming standby of a node, which {@link promote} makes a primary. */
  addStandby(node: CitusNode): Promise<CitusNode>;
  /** Stops all nodes, and removes their data. */
  stop(): Promise<void>;
}

/** For tests: quick, and not safe from a failure of the machine. Logical replication moves shards while they are used. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  // Citus keeps one process in each database of the tests, and each move of a shard needs some.
  max_worker_processes: '100',
  max_logical_replication_workers: '20',
  max_wal_size: '256MB',
  'citus.node_conninfo': 'sslmode=prefer',
};

/**
 * Starts the nodes, and makes them one cluster in the database `postgres`.
 * @param pgConfig path of the pg_config of a Postgres that has Citus
 * @throws Error when that Postgres has no Citus, or a node does not start
 */
export async function startCitusCluster(pgConfig: string): Promise<CitusCluster> {
  const run = promisify(execFile);
  const [bin, share] = (await run(pgConfig, ['--bindir', '--sharedir'])).stdout.trim().split('\n') as [string, string];
  if (!existsSync(join(share, 'extension/citus.control'))) {
    throw new Error(`${pgConfig}: this Postgres has no Citus; CITUS_PG_CONFIG names the pg_config of one that has`);
  }
  const directory = makeScratchDirectory();
  const nodes: CitusNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    for (const name of ['coordinator', 'worker-1', 'worker-2']) nodes.push(await startNode(bin, join(directory, name)));
    const [coordinator, ...workers] = nodes as [CitusNode, ...CitusNode[]];
    await joinNodes(coordinator, workers, 'postgres');
    const addStandby = async ({ url }: CitusNode): Promise<CitusNode> => {
      const standby = await startNode(bin, join(directory, `standby-${nodes.length}`), SETTINGS, url);
      nodes.push(standby);
      return standby;
    };
    return { coordinator, workers, addStandby, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a server of the same Postgres without Citus. @param directory for its data, which stays */
export async function startPlainNode(pgConfig: string, directory: string): Promise<CitusNode> {
  const bin = (await promisify(execFile)(pgConfig, ['--bindir'])).stdout.trim();
  const { shared_preload_libraries: _, 'citus.node_conninfo': __, ...plain } = SETTINGS;
  return startNode(bin, join(directory, 'plain'), plain);
}

/** Gives a node another port in all databases of the cluster that are named. @param urls at the coordinator */
export async function changePort(urls: readonly string[], from: number, to: number): Promise<void> {
  for (const url of urls) {
    await withClient(url, (client) =>
      client.query('select citus_update_node(nodeid, nodename, $1) from pg_dist_node where nodeport = $2', [to, from]),
    );
  }
}

/** Makes a standby a primary. */
export const promote = ({ url }: CitusNode): Promise<unknown> =>
  withClient(url, (client) => client.query('select pg_promote()'));

/** @param primaryUrl of the node that it is a standby of; undefined: a primary with new data */
async function startNode(
  bin: string,
  data: string,
  settings: Readonly<Record<string, string>> = SETTINGS,
  primaryUrl?: string,
): Promise<CitusNode> {
  const runner = chooseRunner(data);
  mkdirSync(data, { mode: 0o700 });
  if (runner.uid !== undefined && runner.gid !== undefined) chownSync(data, runner.uid, runner.gid);
  const asRunner = { ...(runner.uid === undefined ? {} : { uid: runner.uid, gid: runner.gid }), cwd: '/' };
  // Nodes connect to each other without a password; they listen on this machine only.
  const make =
    primaryUrl === undefined
      ? ['initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
      : [
          'pg_basebackup',
          `--dbname=${primaryUrl}`,
          '--write-recovery-conf',
          '--wal-method=stream',
          '--checkpoint=fast',
        ];
  const [program, ...options] = make as [string, ...string[]];
  await promisify(execFile)(join(bin, program), [`--pgdata=${data}`, ...options], {
    ...asRunner,
    env: PLAIN_ENVIRONMENT,
  } as object);
  const port = await freePort();
  const command = [join(bin, 'postgres'), '-D', data];
  for (const [name, value] of Object.entries({ ...settings, port: String(port) }))
    command.push('-c', `${name}=${value}`);
  let child: Supervisor;
  const start = async (): Promise<void> => {
    child = await superviseServer(command, runner, () => undefined);
  };
  await start();
  if (primaryUrl === undefined) await withClient(`postgres://postgres@127.0.0.1:${port}/postgres`, allowMoves);
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => findRunning(data)!.pid,
    start,
    stop: () => stopServer(child, data),
    async crash() {
      process.kill(findRunning(data)!.pid, 'SIGKILL');
      await stopServer(child, data);
    },
  };
}

/** Postgres of 2026 and later asks for it before Citus may move a shard that is in use. */
async function allowMoves(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select from pg_settings where name = 'output_plugin_libraries'");
  if (rows.length === 0) return;
  await client.query('alter system set output_plugin_libraries = citus, pgoutput');
  await client.query('select pg_reload_conf()');
}

/** Makes the database of these nodes, which exists on each, one cluster. */
async function joinNodes(coordinator: CitusNode, workers: readonly CitusNode[], database: string): Promise<void> {
  for (const { url } of [coordinator, ...workers]) {
    await withClient(withDatabase(url, database), (client) => client.query('create extension if not exists citus'));
  }
  await withClient(withDatabase(coordinator.url, database), async (client) => {
    await client.query("select citus_set_coordinator_host('127.0.0.1', $1)", [coordinator.port]);
    for (const { port } of workers) await client.query("select citus_add_node('127.0.0.1', $1)", [port]);
  });
}

/**
 * A new database on all nodes, as one cluster of its own.
 * @param url of the coordinator, a superuser's; the workers are those of its database
 * @returns its URL at the coordinator
 */
export async function createCitusDatabase(url: string, name: string): Promise<string> {
  const workers = await withClient(url, async (client) => {
    const { rows } = await client.query(
      "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid > 0 order by groupid",
    );
    const self = await client.query('select nodeport from pg_dist_node where groupid = 0');
    await client.query(`create database ${name}`);
    return rows.map(({ nodename, nodeport }) => atNode(url, nodename, nodeport)).concat(self.rows[0].nodeport);
  });
  const port = Number(workers.pop());
  for (const worker of workers) {
    await withClient(worker, (client) => client.query(`create database ${name}`));
  }
  const node = (nodeUrl: string): CitusNode => ({ url: nodeUrl, port: Number(new URL(nodeUrl).port) }) as CitusNode;
  await joinNodes({ ...node(url), port }, workers.map(node), name);
  return withDatabase(url, name);
}

/**
 * Makes a distributed database one that can be copied: nobody connects to it any more, not even Citus.
 * @param url of the coordinator, a superuser's
 */
export async function sealTemplate(url: string, name: string): Promise<void> {
  for (const node of await nodesOf(url)) {
    await withClient(node, async (client) => {
      await client.query(`alter database ${name} allow_connections false`);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    });
  }
}

/** Copies a database of {@link sealTemplate} on all nodes. @returns the URL of the copy at the coordinator */
export async function copyCitusDatabase(url: string, template: string, name: string): Promise<string> {
  const copy = (node: string) =>
    withClient(node, (client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  await Promise.all((await nodesOf(url)).map(copy));
  return withDatabase(url, name);
}

/** Removes a database of {@link createCitusDatabase} from all nodes. */
export async function dropCitusDatabase(url: string, name: string): Promise<void> {
  for (const node of await nodesOf(url)) {
    await withClient(node, (client) => client.query(`drop database if exists ${name} with (force)`));
  }
}

/** URLs of all nodes of a coordinator. */
export const nodesOf = (url: string): Promise<string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query("select nodename, nodeport from pg_dist_node where noderole = 'primary'");
    return rows.map(({ nodename, nodeport }) => atNode(url, nodename, nodeport));
  });

function atNode(url: string, host: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = host;
  changed.port = String(port);
  return changed.href;
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
