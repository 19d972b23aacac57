import { setTimeout as pause } from 'node:timers/promises';
import { backendsOf, createTestDatabase } from '../support/database.js';
import { faultEnvironment } from '../support/faults.js';
import { spawnServer } from '../support/process.js';
import { exchangeRaw, requestText } from '../support/raw-socket.js';
import { samlSettings } from '../support/saml-flow.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'threads that fail at signals; a lost one: rel-10-lost-thread-http, rel-24; the start of one: rel-29; an end under load: rel-15',
);

const TWO_THREADS = { SERVER_THREADS: '2', CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '2' };
const REPLACED = 'The server thread is replaced';
const LOOKS_AFTER = 'looks after the identity providers';

t.test('Server threads: two of them', async (t) => {
  const database = await createTestDatabase(t);
  const settings = { ...TWO_THREADS, ...samlSettings(), LOG_LEVEL: 'debug' };
  const spawnedMs = performance.now();
  // They fail at signals, and not before.
  const server = await spawnServer(t, database.url, settings, faultEnvironment('thread-exit', 'thread-exception'));
  const startMs = performance.now() - spawnedMs;
  const count = (text: string) => server.lines.filter((line) => line.includes(text)).length;
  const countReplaced = () => count(REPLACED);
  const on = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
    // A connection of its own each time, so that both threads get some.
    call(server.url, method, path, { ...options, headers: { connection: 'close' } });

  await t.test('they serve every endpoint, from one budget of hash threads and connections', async (t) => {
    const email = freshEmail();
    t.equal((await on('POST', '/signup', { body: { email, password } })).status, 200);
    for (let round = 0; round < 2; round++) {
      const signedIn = await on('POST', '/token?grant_type=password', { body: { email, password } });
      t.equal(signedIn.status, 200);
      const refresh = { body: { refresh_token: signedIn.body.refresh_token } };
      const refreshed = await on('POST', '/token?grant_type=refresh_token', refresh);
      t.equal(refreshed.status, 200, 'what one thread signed the other believes');
      const bearer = refreshed.body.access_token;
      t.equal((await on('GET', '/user', { bearer })).body.email, email);
      t.equal((await on('PUT', '/user', { bearer, body: { data: { round } } })).body.user_metadata.round, round);
      t.equal((await on('POST', '/logout', { bearer })).status, 204);
      for (const path of ['/settings', '/.well-known/jwks.json', '/health', '/health/ready']) {
        t.equal((await on('GET', path)).status, 200, path);
      }
      t.equal((await on('GET', '/nowhere')).status, 404);
    }
    t.equal((await backendsOf(database)).length, 2, 'both threads have worked, with one connection each');
    const listening = JSON.parse(server.lines.find((line) => line.includes('Latchkey is listening'))!);
    t.match(listening, { server_threads: 2, hash_threads: 2 });
    t.equal(count(LOOKS_AFTER), 1, 'one of them does what is done once a process');
  });

  await t.test('an idle one that exits is replaced', async (t) => {
    server.signal('SIGUSR2');
    await until(() => countReplaced() === 1);
    for (let n = 0; n < 10; n++) {
      t.equal((await exchangeRaw(server.port, requestText('GET', '/health'))).status, 200);
    }
  });

  await t.test('one that fails is replaced while the other continues, and a signal ends both', async (t) => {
    const ask = async () => (await exchangeRaw(server.port, requestText('GET', '/health/ready'))).status;
    const workersOf = () => backendsOf(database);
    await until(async () => (await ask()) === 200 && (await workersOf()).length === 2);
    const before = await workersOf();

    server.signal('SIGUSR2');
    const failedMs = performance.now();
    let asked = 0;
    while (countReplaced() === 1) {
      t.equal(await ask(), 200, 'served meanwhile');
      asked += 1;
      await pause(5);
    }
    const tookMs = performance.now() - failedMs;
    // Starting a thread is computing, and the whole server has started two.
    t.ok(asked > 0 && tookMs < 4 * startMs, `after ${Math.round(tookMs)} ms, ${asked} requests meanwhile`);
    await until(async () => {
      await ask();
      const now = await workersOf();
      return now.length === 2 && now.some((pid) => !before.includes(pid));
    });
    // Which of the two fails is not known.
    for (let tries = 0; count(LOOKS_AFTER) === 1 && tries < 20; tries++) {
      const replaced = countReplaced();
      server.signal('SIGUSR2');
      await until(() => countReplaced() > replaced);
    }
    t.ok(count(LOOKS_AFTER) > 1, 'what is done once a process goes on in the thread that replaces the one that did it');
    // It ends cleanly while its threads keep failing.
    for (let n = 0; n < 2; n++) {
      server.signal('SIGUSR2');
      await pause(100);
    }
    t.same(await server.stop(), { code: 0, signal: null });
  });
});

t.test('Server threads: no more of them than connections are started', async (t) => {
  const database = await createTestDatabase(t);
  const server = await spawnServer(t, database.url, {
    SERVER_THREADS: '3',
    CRYPTO_THREADS: '3',
    DB_MAX_POOL_SIZE: '1',
  });
  await Promise.all(
    Array.from({ length: 20 }, () => call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password } })),
  );
  t.equal((await backendsOf(database)).length, 1, 'DB_MAX_POOL_SIZE holds for the whole process');
  t.ok(server.lines.some((line) => line.includes('Fewer server threads than AUTH_SERVER_THREADS')));
  t.same(await server.stop(), { code: 0, signal: null });
});
