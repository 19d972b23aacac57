import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.js';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { readProcessSeconds } from './process-time.js';

/** A server for tests, with a migrated database to copy. */
export interface TestServer {
  /** Superuser URL. */
  readonly adminUrl: string;
  /** Name of the migrated database; every database of this run begins with it. */
  readonly template: string;
  /** Processor time so far of the server and of all connections that have ended; undefined if it cannot be read. */
  cpuSeconds(): number | undefined;
  /** Drops every database of this run; stops the server if it was started here. */
  stop(): Promise<void>;
}

/** Variables that `run.ts` sets for test files. */
export const ADMIN_URL_VARIABLE = 'LATCHKEY_TEST_ADMIN_URL';
export const TEMPLATE_VARIABLE = 'LATCHKEY_TEST_TEMPLATE';

/** A file system in memory: a database is copied there in 13 ms of processor time, on a disk in 100 to 260. */
const MEMORY = '/dev/shm';
/** All databases of a run take less at any time, the log of Postgres included. */
const MOST_STORED_BYTES = 2 * 2 ** 30;
/** The log has 1 GB by default, which in memory is memory. */
const MEMORY_SETTINGS = { max_wal_size: '256MB' };

/**
 * Starts a Postgres in a temporary directory, or uses that of TEST_DATABASE_URL (a superuser's URL).
 * @param isLarge tests may store any amount, so the directory is on a disk
 */
export async function startTestServer({ isLarge = false } = {}): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  const place = isLarge ? tmpdir() : placeOfDatabases();
  const directory = given === undefined ? makeScratchDirectory(place) : undefined;
  const removeDirectory = (): void => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    const server = directory === undefined ? undefined : await startIn(directory);
    const adminUrl = server?.url ?? given ?? '';
    const template = `latchkey_test_${process.pid}_${randomBytes(3).toString('hex')}`;
    await prepareTemplate(adminUrl, template);
    return {
      adminUrl,
      template,
      cpuSeconds: () => (server === undefined ? undefined : readCpuSeconds(server.directory)),
      stop: async () => {
        if (server === undefined) await dropDatabases(adminUrl, template);
        await server?.stop();
        removeDirectory();
      },
    };
  } catch (error) {
    removeDirectory();
    throw error;
  }
}

function readCpuSeconds(directory: string): number | undefined {
  try {
    const [pid] = readFileSync(join(directory, 'data/postmaster.pid'), 'utf8').split('\n');
    return readProcessSeconds(pid ?? '');
  } catch {
    return undefined;
  }
}

/** @returns a directory in memory if there is room, else that of temporary files */
export function placeOfDatabases(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    // Node 20.12 has no availableMemory, which knows the limit of a container.
    const free = process.availableMemory?.() ?? freemem();
    return Math.min(bavail * bsize, free) > 2 * MOST_STORED_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** A temporary directory that the user of Postgres can enter. */
export function makeScratchDirectory(place = tmpdir()): string {
  const directory = mkdtempSync(join(place, 'latchkey-test-'));
  // If root runs the tests, Postgres runs as another user.
  chmodSync(directory, 0o711);
  return directory;
}

async function startIn(directory: string) {
  const silent = { debug: () => undefined, info: () => undefined };
  const settings = directory.startsWith(MEMORY) ? MEMORY_SETTINGS : {};
  return startEmbeddedPostgres({ directory, log: silent, isThrowaway: true, settings });
}

async function prepareTemplate(adminUrl: string, template: string): Promise<void> {
  await withAdmin(adminUrl, (admin) => admin.query(`create database ${template}`));
  await migrate({ url: withDatabase(adminUrl, template), prefix: '' });
  // A template without connections can always be copied.
  await withAdmin(adminUrl, (admin) =>
    admin.query(`alter database ${template} is_template true allow_connections false`),
  );
}

async function dropDatabases(adminUrl: string, template: string): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [template],
    );
    await admin.query(`alter database ${template} is_template false`);
    for (const { name } of rows) await admin.query(`drop database if exists ${name} with (force)`);
  });
}

/** Runs work as superuser on the server's default database. */
export async function withAdmin<Result>(url: string, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
