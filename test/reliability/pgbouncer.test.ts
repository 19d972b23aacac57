/** A pooler in transaction mode changes the connection per transaction: no statement may depend on the session. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { createTestDatabase, testServer } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import {
  BOUNCER_LOSES_STATEMENTS_VARIABLE,
  BOUNCER_PORT_VARIABLE,
  findPgBouncer,
  startPgBouncer,
} from '../support/pgbouncer.js';
import { ADMIN_URL_VARIABLE, TEMPLATE_VARIABLE, withDatabase } from '../support/postgres.js';
import { spawnServer } from '../support/process.js';
import { untilServed } from '../support/served.js';
import { call, freshEmail } from '../support/server.js';
import { readTree } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('other tests once more, through a PgBouncer; few connections for many requests: rel-05-few-connections');

const compiled = fileURLToPath(new URL('../http/', import.meta.url));

/**
 * Session state. `set local` and transaction locks end with their transaction, and pg_notify sends at its commit. What
 * listens has a connection of its own (db/listen.ts).
 */
const SESSION_STATE =
  /^['`\s]*(?:listen|unlisten|notify|reset|discard|load|declare|prepare\s|create temp(?:orary)?|set (?!local\b))|pg_(?:try_)?advisory_lock|\b(?:curr|last|set)val\(|set_config\([^)]*false/i;

/** A command that opens one connection for itself, to the coordinator of a cluster, and closes it. */
const OWN_CONNECTION = 'src/db/citus/distribute.ts';

t.test('no statement leaves state in its session', async (t) => {
  for (const { key, text } of loadStatements(QUERIES_DIRECTORY, '').values()) t.notMatch(text, SESSION_STATE, key);
  for (const { path, text } of [...readTree(['sql/migrations'], '.sql'), ...readTree(['src/db'], '.ts')]) {
    if (path === OWN_CONNECTION) continue;
    for (const [sql] of text.matchAll(/'[^'\n]+'|`[^`]+`|^[^*\n]+;$/gm)) t.notMatch(sql, SESSION_STATE, path);
  }
  for (const lasting of ["set search_path = 'x'", 'listen news', 'select pg_advisory_lock(1)', 'set role admin']) {
    t.match(lasting, SESSION_STATE, `the check knows: ${lasting}`);
  }
});

/** Runs one test file as a process of its own. @returns what it printed, when it failed */
async function runFile(file: string, environment: Record<string, string>): Promise<string | null> {
  const child = spawn(process.execPath, [compiled + file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  return code === 0 ? null : printed;
}

const version = findPgBouncer();

/**
 * Statements one by one and in batches (the refresh, GET /user), named statements that are forgotten, limits, flow states
 * that are taken once. The first alone runs where this file is named; `npm run test:full` has these, `npm run test:soak` all files there are.
 */
const ENOUGH = ['token-refresh', 'callback', 'token-password', 'user'];

t.test(
  'the HTTP tests pass through a PgBouncer in transaction mode',
  { timeout: pickForm({ short: 230_000, long: 900_000 }) },
  async (t) => {
    if (version === null) return skipHere(t, missingProgram('PgBouncer', 'pgbouncer'));
    const { adminUrl, template } = await testServer();
    const bouncer = await startPgBouncer(adminUrl);
    t.teardown(() => bouncer.stop());
    const environment = {
      [ADMIN_URL_VARIABLE]: adminUrl,
      [TEMPLATE_VARIABLE]: template,
      [BOUNCER_PORT_VARIABLE]: String(bouncer.port),
      [BOUNCER_LOSES_STATEMENTS_VARIABLE]: bouncer.keepsStatements ? '0' : '1',
    };
    const all = readdirSync(compiled).filter((name) => name.endsWith('.test.js'));
    const chosen = pickForm({ short: ENOUGH.slice(0, 1), full: ENOUGH }).map((name) => `${name}.test.js`);
    const files = pickForm({ short: chosen, long: all });
    t.same(
      files.filter((name) => !all.includes(name)),
      [],
      'those files exist',
    );
    const waiting = [...files];
    const lanes = [1, 2].map(async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const printed = await runFile(file, environment);
        t.equal(printed, null, `${basename(file, '.js')} through PgBouncer ${bouncer.version}`);
      }
    });
    await Promise.all(lanes);
    // It counts once a second.
    await pause(2500);
    const transactions = await bouncer.countTransactions();
    t.ok(transactions > 100 * files.length, `and they did go through it: ${transactions} transactions`);
  },
);

t.test(
  'a server with the default settings detects a pooler that loses statements, and names the setting',
  async (t) => {
    if (version === null) return skipHere(t, missingProgram('PgBouncer', 'pgbouncer'));
    const { adminUrl } = await testServer();
    const bouncer = await startPgBouncer(adminUrl);
    t.teardown(() => bouncer.stop());
    const { url } = await createTestDatabase(t);
    const through = new URL(withDatabase(adminUrl, new URL(url).pathname.slice(1)));
    through.port = String(bouncer.port);
    // Forty wait for a few connections where the processors are busy.
    const server = await spawnServer(t, through.href, { DB_ACQUIRE_TIMEOUT: '9s' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        untilServed(() =>
          call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password: 'correct horse' } }),
        ),
      ),
    );
    t.same([...new Set(answers.map(({ status }) => status))], [200], 'no request fails');
    const bearers = answers.map(({ body }) => body.access_token as string);
    const reads = await Promise.all(
      bearers.map((bearer) => untilServed(() => call(server.url, 'GET', '/user', { bearer }))),
    );
    t.same([...new Set(reads.map(({ status }) => status))], [200]);
    const advice = server.lines.filter((line) => line.includes('AUTH_DB_PREPARED_STATEMENTS=false'));
    if (bouncer.keepsStatements) t.same(advice, []);
    else t.ok(advice.length > 0, 'it names the setting');
    t.match(await server.stop(), { code: 0 });
  },
);
