import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.js';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.js';

/** A server for tests, with a migrated database to copy. */
export interface TestServer {
  /** Superuser URL. */
  readonly adminUrl: string;
  /** Name of the migrated database; every database of this run begins with it. */
  readonly template: string;
  /** Drops every database of this run; stops the server if it was started here. */
  stop(): Promise<void>;
}

/** Variables that `run.ts` sets for test files. */
export const ADMIN_URL_VARIABLE = 'LATCHKEY_TEST_ADMIN_URL';
export const TEMPLATE_VARIABLE = 'LATCHKEY_TEST_TEMPLATE';

/** Starts a Postgres in a temporary directory, or uses that of TEST_DATABASE_URL (a superuser's URL). */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  const directory = given === undefined ? makeScratchDirectory() : undefined;
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

/** A temporary directory that the user of Postgres can enter. */
export function makeScratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-test-'));
  // If root runs the tests, Postgres runs as another user.
  chmodSync(directory, 0o711);
  return directory;
}

async function startIn(directory: string) {
  const silent = { debug: () => undefined, info: () => undefined };
  return startEmbeddedPostgres({ directory, log: silent, isThrowaway: true });
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
