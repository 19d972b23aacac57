/** The database of a run: a fresh embedded Postgres with the durability of a real one. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { loadStatements, QUERIES_DIRECTORY, type Statement } from '../../src/db/statements.js';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

export interface BenchDatabase {
  /** Of Postgres. */
  readonly version: string;
  /** The postmaster, whose children are the backends. */
  readonly pid: number;
  /** For the files of the run. */
  readonly directory: string;
  /** Creates an empty database. @returns its URL */
  create(name: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * A checkpoint in the middle of a round would be charged to whatever runs then. Several servers and the direct clients
 * need more than the usual hundred connections. Everything else is Postgres's default.
 */
const SETTINGS = { checkpoint_timeout: '30min', max_wal_size: '4GB', max_connections: '300' };

const IDLE_ACCOUNTS = 20_000;

/** @param more settings of Postgres, e.g. `{ shared_buffers: '4GB' }` */
export async function startBenchDatabase(more: Readonly<Record<string, string>> = {}): Promise<BenchDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  // When root runs the bench, Postgres is another user and must be able to enter.
  chmodSync(directory, 0o711);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const silent = { debug: () => undefined, info: () => undefined };
    const server = await startEmbeddedPostgres({ directory, log: silent, settings: { ...SETTINGS, ...more } });
    const pid = Number(readFileSync(join(server.directory, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    const [row] = await query<{ server_version: string }>(server.url, 'show server_version');
    return {
      version: row!.server_version,
      pid,
      directory,
      async create(name) {
        await query(server.url, `create database ${pg.escapeIdentifier(name)}`);
        return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
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
export async function populate(url: string, accounts = IDLE_ACCOUNTS): Promise<void> {
  await query(url, statement('bench-data.populate').text, [accounts]);
  await query(url, statement('bench-data.analyze').text);
}

/** Runs one statement on a connection of its own. @returns the rows */
export async function query<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

let loaded: ReadonlyMap<string, Statement> | undefined;

/** A statement of bench/sql or of the server's sql/queries, e.g. `growth.fill`. @throws when neither has it */
export function statement(key: string): Statement {
  loaded ??= new Map([
    ...loadStatements(QUERIES_DIRECTORY, ''),
    ...loadStatements(fileURLToPath(new URL('../../../bench/sql', import.meta.url)), ''),
  ]);
  const found = loaded.get(key);
  if (found === undefined) throw new Error(`There is no statement named ${key}`);
  return found;
}
