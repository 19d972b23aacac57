/** Settings in the database with real processes: a slow start, load while they change, no database, a kill at any moment. */
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { keepConnection } from '../support/keep-alive.js';
import { pickForm } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { makeDirectory } from '../support/reload.js';
import { runCommand } from '../support/run-command.js';
import { call, openTestServer, testEnvironment } from '../support/server.js';
import { startSwitchingProxy } from '../support/switching-proxy.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'two processes that are killed while settings change; what a set does: console-config, console-config-start',
);

const SETS = pickForm({ short: 2, full: 3, long: 12 });
/** Between the turns of a client, so that the changes and not the load take the processor. */
const TURN_MS = pickForm({ short: 60, full: 25 });
const unset = { SITE_URL: '', MAILER_AUTOCONFIRM: '' };
/** Of a server of so many threads. */
const threadsOf = (count: number) => ({
  ...{ SERVER_THREADS: String(count), CRYPTO_THREADS: String(count), DB_MAX_POOL_SIZE: '6' },
  ...unset,
});
/** Of the two processes that are loaded while the settings change. */
const LOADED = pickForm({ short: [2, 1], full: [2, 2], long: [3, 3] });
/** Threads look as soon as they can, which is before they are ready. */
const LOOKING_EARLY = { NODE_OPTIONS: '--import=data:text/javascript,Math.random=()=>0' };

async function setterFor(t: Test, { url }: TestDatabase, settings: Record<string, string> = {}) {
  const file = `${await makeDirectory(t, { 'empty.env': '' })}/empty.env`;
  return async (...changes: string[]) => {
    const { code, err } = await runCommand(['config', 'set', ...changes], testEnvironment(url, settings), file);
    if (code !== 0) throw new Error(err);
  };
}

const siteOf = (n: number) => `https://site-${n}.example.com`;
const textOf = (server: ServerProcess) => server.lines.join('\n');

t.test('two processes with threads: no request is lost, and none is answered by a mixture', async (t) => {
  const database = await createTestDatabase(t);
  const set = await setterFor(t, database, unset);
  const settingsOf = (n: number) => [
    ...[`AUTH_SITE_URL=${siteOf(n)}`, `AUTH_PASSWORD_MIN_LENGTH=${20 + n}`],
    // One answer shows all three.
    ...['MAILER_AUTOCONFIRM', 'SMS_AUTOCONFIRM', 'EXTERNAL_ANONYMOUS_USERS_ENABLED'].map(
      (name) => `AUTH_${name}=${n % 2 === 0}`,
    ),
  ];
  await set(...settingsOf(0));
  const servers = await Promise.all(LOADED.map((count) => spawnServer(t, database.url, threadsOf(count))));
  let isDone = false;
  t.teardown(() => {
    isDone = true;
  });
  const seen: string[] = [];
  const clients = servers.flatMap(({ port }) =>
    Array.from({ length: 4 }, async () => {
      const connection = await keepConnection(port);
      while (!isDone) {
        const { status, body } = await connection.send('GET', '/settings');
        const refused = await connection.send('POST', '/signup', { email: 'a@example.com', password: 'aA1!aA1!' });
        const shown = [body.mailer_autoconfirm, body.phone_autoconfirm, body.external.anonymous_users];
        seen.push(`${status} ${shown} ${refused.status}`);
        await pause(TURN_MS);
      }
      connection.close();
    }),
  );
  for (let n = 1; n <= SETS; n++) {
    await set(...settingsOf(n));
    for (const { url } of servers) {
      const isThere = async () =>
        (await call(url, 'GET', '/verify?token=nothing&type=signup', { headers: { connection: 'close' } })).headers
          .get('location')
          ?.startsWith(siteOf(n));
      await until(async () => (await Promise.all([isThere(), isThere(), isThere()])).every(Boolean));
      const { body } = await call(url, 'POST', '/signup', { body: { email: 'a@example.com', password: 'aA1!aA1!' } });
      t.match(body.msg, new RegExp(`${20 + n}`), 'both settings of the set are there');
    }
  }
  isDone = true;
  await Promise.all(clients);
  const allowed = ['200 false,false,false 422', '200 true,true,true 422'];
  t.same([...new Set(seen)].sort(), allowed, `${seen.length} pairs of requests during ${SETS} sets`);
  const sql = 'select from setting_processes where version = $1 and error is null';
  // Each says so when it looks again.
  await until(async () => (await database.admin.query(sql, [SETS + 1])).rowCount === servers.length);
  for (const server of servers) t.match(await server.stop(), { code: 0 });
});

t.test('a start without the database serves nothing before it knows what the database sets', async (t) => {
  const database = await createTestDatabase(t);
  await (await setterFor(t, database))('AUTH_DISABLE_SIGNUP=true');
  const proxy = await startSwitchingProxy(t, database.url);
  proxy.pointTo('postgres://127.0.0.1:1/nothing');
  const server = await spawnServer(t, proxy.url, { ...threadsOf(2), SITE_URL: 'https://app.example.com' });
  t.match(textOf(server), 'Requests wait for the settings of the database');
  const signUp = () =>
    call(server.url, 'POST', '/signup', { body: { email: 'a@example.com', password: 'correct horse battery' } });
  t.equal((await signUp()).status, 503);
  proxy.pointTo(database.url);
  const statuses = new Set<number>();
  await until(async () => {
    const { status } = await signUp();
    statuses.add(status);
    return status !== 503;
  });
  for (let n = 0; n < 6; n++) statuses.add((await signUp()).status);
  t.same(
    [...statuses].filter((status) => status !== 503),
    [422],
    'the sign-up was never open',
  );
  t.match(await server.stop(), { code: 0 });
});

t.test(
  'threads that look before they are ready are waited for, and a kill at any moment leaves a set whole',
  async (t) => {
    const settings = { SERVER_THREADS: '2', CRYPTO_THREADS: '2', CONSOLE_PORT: String(await freePort()) };
    const database = await createTestDatabase(t);
    const set = await setterFor(t, database);
    for (let round = 0; round < pickForm({ short: 1, full: 2, long: 8 }); round++) {
      const server = await spawnServer(t, database.url, settings, LOOKING_EARLY);
      t.equal((await call(server.url, 'GET', '/settings')).status, 200);
      await set(`AUTH_PAGES_NAME=Round ${round}`, `AUTH_DISABLE_SIGNUP=${round % 2 === 0}`);
      // Threads look every 3.5 s.
      await pause(Math.random() * 4000);
      server.signal('SIGKILL');
      await server.exited;
      const next = await openTestServer(t, { CONSOLE_PORT: String(await freePort()) }, () => database.url);
      t.equal((await call(next.url, 'GET', '/settings')).body.disable_signup, round % 2 === 0, `round ${round}`);
    }
  },
);
