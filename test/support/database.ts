import { randomBytes } from 'node:crypto';
import pg from 'pg';
import t, { type Test } from 'tap';
import { BOUNCER_PORT_VARIABLE } from './pgbouncer.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE, withAdmin, withDatabase } from './postgres.js';

export interface TestDatabase {
  /** URL of a database nobody else uses; its owner is a superuser. Through a PgBouncer where a run asks for one. */
  readonly url: string;
  /** One connection of its own, straight to the server, for looking and arranging. */
  readonly admin: pg.Client;
}

/** What a test needs to know of the server: set by `run.ts`, or by the first call when a file runs alone. */
let server: Promise<{ adminUrl: string; template: string }> | undefined;

/**
 * Makes a migrated, empty database for one test and drops it at the test's end.
 * @param options.isEmpty leave the schema out, for tests of the migrations themselves
 */
export async function createTestDatabase(test: Test, options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  const { adminUrl, template } = await testServer();
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await withAdmin(adminUrl, (admin) =>
    admin.query(`create database ${name} template ${options.isEmpty ? 'template0' : template} strategy file_copy`),
  );
  const url = withDatabase(adminUrl, name);
  const admin = new pg.Client({ connectionString: url });
  // Tests may end every connection of a database on purpose.
  admin.on('error', () => undefined);
  await admin.connect();
  test.teardown(async () => {
    await admin.end().catch(() => undefined);
    await withAdmin(adminUrl, (dropper) => dropper.query(`drop database if exists ${name} with (force)`));
  });
  return { url: throughBouncer(url), admin };
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
  // A file run alone and broken off runs no teardown.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => own.stop().finally(() => process.kill(process.pid, signal)));
  }
  return own;
}

/** max_connections less those kept for superusers and the like: 97 of the usual 100. */
export async function countGrantedConnections(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')",
  );
  return rows.reduce((sum, { name, setting }) => sum + (name === 'max_connections' ? 1 : -1) * Number(setting), 0);
}
