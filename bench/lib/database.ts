/** The database of a run: a fresh embedded Postgres with the durability of a real one. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { statement } from './statements.js';

export interface BenchDatabase {
  /** What the server calls itself. */
  readonly version: string;
  /** Process whose children are the backends. */
  readonly pid: number;
  /** Where the run keeps its files. */
  readonly directory: string;
  /** Makes an empty database. @returns its URL */
  create(name: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * A checkpoint in the middle of a round would be charged to whoever runs then; and a server keeps idle connections open,
 * so that two of them and the direct clients need more than the usual hundred. All else is as installed.
 */
const SETTINGS = { checkpoint_timeout: '30min', max_wal_size: '4GB', max_connections: '300' };

const IDLE_ACCOUNTS = 20_000;

/** @param more settings of Postgres on top, e.g. `{ shared_buffers: '4GB' }` */
export async function startBenchDatabase(more: Readonly<Record<string, string>> = {}): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  // Run by root, Postgres is another user and has to pass through.
  chmodSync(directory, 0o711);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const silent = { debug: () => undefined, info: () => undefined };
    const server = await startEmbeddedPostgres({ directory, log: silent, settings: { ...SETTINGS, ...more } });
    const pid = Number(readFileSync(join(server.directory, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    const { rows } = await query<{ server_version: string }>(server.url, 'show server_version');
    return {
      version: rows[0]?.server_version ?? 'unknown',
      pid,
      directory,
      async create(name) {
        await query(server.url, `create database ${pg.escapeIdentifier(name)}`);
        const url = new URL(server.url);
        url.pathname = `/${name}`;
        return url.href;
      },
      async stop() {
        await server.stop();
        if (server.directory !== directory) rmSync(server.directory, { recursive: true, force: true });
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Fills a migrated database with accounts that take no part in the load. */
export async function populate(url: string): Promise<void> {
  await query(url, statement('bench-data.populate').text, [IDLE_ACCOUNTS]);
  await query(url, statement('bench-data.analyze').text);
}

/** One statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}
