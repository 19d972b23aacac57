import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/server/config/load.js';
import type { TestInternet } from '../../src/server/outbound/public-address.js';
import type { Development } from '../../src/server/runtime/development.js';
import { openLiveSettings } from '../../src/server/runtime/live-settings.js';
import { type RunningServer, startServer } from '../../src/server/runtime/server.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { createTestDatabase, isOnCitus, type TestDatabase } from './database.js';
import { BOUNCER_LOSES_STATEMENTS_VARIABLE, BOUNCER_PORT_VARIABLE } from './pgbouncer.js';
import { sendPlain } from './plain-request.js';
import { openRecycledPool } from './recycled-pool.js';
import { keepForSearch, noteSecrets, noteSettings, searchedLogSettings } from './secret-search.js';
import type { Test } from './tap.js';

export interface TestServer {
  readonly url: string;
  readonly database: TestDatabase;
  readonly server: RunningServer;
  /** Calls the server; the body is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
}

export interface CallOptions {
  body?: unknown;
  bearer?: string | undefined;
  headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on its members.
  readonly body: any;
}

export const JWT_SECRET = 'test-secret-test-secret-test-secret-42';

/** The password of test accounts. */
export const password = 'correct horse battery';

/** The settings of a test server: fast hashes, no delays, and those the test adds (names without AUTH_). */
export function testEnvironment(databaseUrl: string, settings: Record<string, string> = {}): Record<string, string> {
  const merged: Record<string, string> = {
    SITE_URL: 'http://localhost:3000',
    API_EXTERNAL_URL: 'http://localhost:9999',
    DB_DRIVER: 'postgres',
    DB_DATABASE_URL: databaseUrl,
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    JWT_SECRET,
    PASSWORD_ARGON2_MEMORY_KIB: '256',
    PASSWORD_ARGON2_ITERATIONS: '1',
    MAILER_AUTOCONFIRM: 'true',
    CRYPTO_THREADS: '1',
    DB_MAX_POOL_SIZE: '5',
    // Through a pooler a burst of a test waits longer for its five connections where the processors are busy.
    ...(process.env[BOUNCER_PORT_VARIABLE] === undefined ? {} : { DB_ACQUIRE_TIMEOUT: '9s' }),
    ...(process.env[BOUNCER_LOSES_STATEMENTS_VARIABLE] === '1' ? { DB_PREPARED_STATEMENTS: 'false' } : {}),
    ...(isOnCitus() ? { DB_CITUS: 'true', DB_STATEMENT_TIMEOUT: '20s', DB_ACQUIRE_TIMEOUT: '20s' } : {}),
    ...settings,
  };
  return Object.fromEntries(Object.entries(merged).map(([name, value]) => [`AUTH_${name}`, value]));
}

/**
 * Opens a whole server in this process on a database of its own; both go at teardown. Silent without a LOG_FILE.
 * @param reach changes the URL at which the server finds its database
 * @param internet what metadata documents of clients are read from
 * @param routes that `latchkey dev` adds
 */
export async function openTestServer(
  t: Test,
  given: Record<string, string> = {},
  reach?: (databaseUrl: string) => Promise<string> | string,
  internet?: TestInternet,
  routes?: Development['routes'],
): Promise<TestServer> {
  // A step of TOTP may end between making a code and its check, and a burst waits longer on a busy machine.
  const usual = { MFA_TOTP_SKEW: '2', DB_ACQUIRE_TIMEOUT: '9s' };
  const settings: Record<string, string> = { ...usual, ...searchedLogSettings(), ...given };
  const database = await createTestDatabase(t);
  const environment = testEnvironment((await reach?.(database.url)) ?? database.url, settings);
  noteSettings(environment);
  // Of servers with a console: operators change what the database sets.
  const live = settings['CONSOLE_PORT'] ? await openLiveSettings({ environment }) : undefined;
  const { config } = live?.first.loaded ?? loadConfig({ environment });
  const log = await openLog({ level: settings['LOG_FILE'] ? config.logLevel : 'panic', file: config.logFile });
  const development = (internet ?? routes) && {
    captureMail: () => {},
    captureSms: () => {},
    routes: routes ?? [],
    ...(internet && { internet }),
  };
  const options = {
    development,
    settingSources: { environment },
    openCrypto: openRecycledPool,
    // Its client is this process, which has read the last answer by then.
    lingerMs: 0,
    // The database is a copy of one that is. Looking takes a fifth of the processor time of opening a server.
    isMigrated: reach === undefined && !Object.keys(settings).some((name) => name.startsWith('DB_')),
  };
  const version = '0.0.0-test';
  const server =
    live === undefined
      ? await startServer(config, version, log, options)
      : await live.start((usable, stored) => startServer(usable, version, log, { ...options, stored }), log);
  live?.follow(server, log);
  t.teardown(async () => {
    await server.stop(2);
    log.flush();
  });
  await server.migrated;
  const url = `http://127.0.0.1:${server.port}`;
  const post: TestServer['post'] = (path, body) => call(url, 'POST', path, { body });
  return { url, database, server, call: (method, path, options) => call(url, method, path, options), post };
}

export async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { status, headers, text } = await sendPlain(url + path, {
    method,
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const isXml = headers.get('content-type') === 'application/xml';
  const body = text === '' ? undefined : isXml ? text : JSON.parse(text);
  noteSecrets(options.body, body, { access_token: options.bearer });
  if (status >= 400) keepForSearch('errors', text);
  return { status, headers, body };
}

/** An email address that no account has. */
export const freshEmail = (): string => `${randomUUID()}@example.com`;
export const freshPhone = (): string => `1555${String(Math.floor(Math.random() * 1e9)).padStart(9, '0')}`;
