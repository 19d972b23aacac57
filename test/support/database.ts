import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { LazyClient, withKeptAdmin } from './admin-connection.js';
import { BOUNCER_PORT_VARIABLE } from './pgbouncer.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE, withDatabase } from './postgres.js';
import { type Test, t } from './tap.js';

export interface TestDatabase {
  /** URL of a database for this test; its owner is a superuser. Through a PgBouncer if a test started one for its run. */
  readonly url: string;
  /** A direct connection, for inspection and setup. The first statement connects. */
  readonly admin: pg.Client;
}

/** The server: set by `run.ts`, or by the first call if a file runs without it. */
let server: Promise<{ adminUrl: string; template: string }> | undefined;

/**
 * Creates a migrated, empty database for one test; it is dropped when the test ends.
 * @param options.isEmpty leave the schema out, for tests of the migrations themselves
 */
export async function createTestDatabase(test: Test, options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  if (isOnCitus() && !options.isEmpty) return copyToCluster(test);
  const { adminUrl, template } = await testServer();
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await withKeptAdmin(adminUrl, async (creator) => {
    // The quicker way for a small database, and before Postgres 15 the only one.
    const strategy = (await readServerMajor(creator)) >= 15 ? 'strategy file_copy' : '';
    await creator.query(`create database ${name} template ${options.isEmpty ? 'template0' : template} ${strategy}`);
  });
  const url = withDatabase(adminUrl, name);
  const admin = new LazyClient({ connectionString: url });
  // Tests may end every connection of a database on purpose.
  admin.on('error', () => undefined);
  test.teardown(async () => {
    await admin.end().catch(() => undefined);
    // In the background: nothing of the test is in it any more, and the end of the run removes what is left.
    void withKeptAdmin(adminUrl, (dropper) => dropper.query(`drop database if exists ${name} with (force)`)).catch(
      () => undefined,
    );
  });
  return { url: throughBouncer(url), admin };
}

/** Whether the databases of tests are distributed ones: `npm run test:citus` with the names of files. */
export const isOnCitus = (): boolean => process.env['TEST_CITUS_EVERYWHERE'] === '1';

async function copyToCluster(test: Test): Promise<TestDatabase> {
  const { copyTemplate } = await import('./citus/copy-template.js');
  const { url, drop } = await copyTemplate();
  const admin = new LazyClient({ connectionString: url });
  admin.on('error', () => undefined);
  test.teardown(async () => {
    await admin.end().catch(() => undefined);
    void drop().catch(() => undefined);
  });
  return { url, admin };
}

function throughBouncer(url: string): string {
  const changed = new URL(url);
  changed.port = process.env[BOUNCER_PORT_VARIABLE] ?? changed.port;
  return changed.href;
}

/** The server the tests share. */
export async function testServer(): Promise<{ adminUrl: string; template: string }> {
  server ??= findServer();
  return server;
}

async function findServer(): Promise<{ adminUrl: string; template: string }> {
  const adminUrl = process.env[ADMIN_URL_VARIABLE];
  const template = process.env[TEMPLATE_VARIABLE];
  if (adminUrl !== undefined && template !== undefined) return { adminUrl, template };
  const own = await startTestServer();
  t.teardown(() => own.stop());
  // A file that is ended by a signal runs no teardown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void own.stop().finally(() => process.kill(process.pid, signal)));
  }
  return own;
}

/** @returns e.g. 18 */
export async function readServerMajor(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ server_version_num: string }>('show server_version_num');
  return Math.floor(Number(rows[0]!.server_version_num) / 10_000);
}

/** max_connections without reserved connections: 97 of the default 100. */
export async function countGrantedConnections(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')",
  );
  return rows.reduce((sum, { name, setting }) => sum + (name === 'max_connections' ? 1 : -1) * Number(setting), 0);
}

/** Processes of Postgres that serve the connections of servers. A server thread has connections of its own. */
export async function backendsOf({ admin }: TestDatabase): Promise<number[]> {
  const { rows } = await admin.query(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'latchkey' order by pid",
  );
  return rows.map(({ pid }) => pid);
}
