import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { createTestDatabase } from '../support/database.js';
import { keepConnection } from '../support/keep-alive.js';
import { pickForm } from '../support/long-form.js';
import { spawnServer } from '../support/process.js';
import { RawSocket } from '../support/raw-socket.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const tokenPath = '/token?grant_type=password';
/** From the signal to the end of the process. */
const LONGEST_STOP_MS = 10_000;

const isListening = (port: number): Promise<boolean> =>
  RawSocket.connect(port).then(
    (socket) => {
      socket.close();
      return true;
    },
    () => false,
  );

for (const threads of ['1', '2']) {
  t.test(
    `REL-15, REL-25: SIGTERM under load, ${threads} server thread(s): running requests are finished`,
    async (t) => {
      const { url: databaseUrl, admin } = await createTestDatabase(t);
      const server = await spawnServer(t, databaseUrl, { SERVER_THREADS: threads, CRYPTO_THREADS: '2' });
      const email = freshEmail();
      t.equal((await call(server.url, 'POST', '/signup', { body: { email, password } })).status, 200);
      const probes = await Promise.all([1, 2, 3, 4].map(() => keepConnection(server.port)));
      for (const probe of probes) t.equal((await probe.send('GET', '/health/ready')).status, 200);

      const statuses: number[] = [];
      const clients = Array.from({ length: 8 }, async () => {
        const connection = await keepConnection(server.port);
        for (let isLast = false; !isLast; ) {
          const answer = await connection.send('POST', tokenPath, { email, password });
          statuses.push(answer.status);
          isLast = answer.isLast;
        }
        connection.close();
      });
      while (statuses.length < 30) await pause(20);
      const before = statuses.length;
      // Every sign-in now waits for its session to be written.
      await admin.query('begin');
      await admin.query('lock table sessions in access exclusive mode');
      await pause(100);

      server.signal('SIGTERM');
      const signalMs = performance.now();
      const askReadiness = () => probes[0]!.send('GET', '/health/ready', undefined, adminToken());
      let readiness = await askReadiness();
      while (!readiness.isLast) readiness = await askReadiness();
      const notReadyMs = performance.now() - signalMs;
      t.match(readiness, { status: 503, body: { ready: false, draining: true } });
      t.equal((await probes[1]!.send('GET', '/health')).status, 200, 'alive while it drains');
      while (await isListening(server.port)) await pause(5);
      const closedMs = performance.now() - signalMs;
      // Demanded: at once, and 100 ms. On a busy machine the signal itself may arrive later than that.
      t.comment(`not ready after ${Math.round(notReadyMs)} ms, no new connection after ${Math.round(closedMs)} ms`);
      t.ok(notReadyMs < 1000 && closedMs < 1000, `${Math.round(notReadyMs)} ms, ${Math.round(closedMs)} ms`);
      await pause(200);
      await admin.query('commit');

      t.match(await server.exited, { code: 0, signal: null });
      t.ok(performance.now() - signalMs < LONGEST_STOP_MS);
      const results = await Promise.allSettled(clients);
      t.same(
        results
          .filter(({ status }) => status === 'rejected')
          .map((result) => String((result as { reason: Error }).reason)),
        [],
        'no request was cut',
      );
      t.same([...new Set(statuses)], [200], 'and none was refused');
      t.ok(statuses.length >= before + 8, 'all that ran were answered');
      for (const probe of probes) probe.close();
    },
  );
}

t.test('REL-15: a request that arrives on a kept connection during shutdown finishes, too', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const server = await spawnServer(t, databaseUrl);
  const email = freshEmail();
  await call(server.url, 'POST', '/signup', { body: { email, password } });
  const connection = await keepConnection(server.port);
  await connection.send('GET', '/health');
  await admin.query('begin');
  await admin.query('lock table sessions in access exclusive mode');
  server.signal('SIGTERM');
  await pause(30);
  const answer = connection.send('POST', tokenPath, { email, password });
  // Longer than the server waits for the last bytes of other answers to leave.
  await pause(500);
  await admin.query('rollback');
  t.match(await answer, { status: 200, isLast: true });
  t.match(await server.exited, { code: 0 });
});

t.test('REL-15: a second signal ends it at once', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  for (const threads of ['1', '2']) {
    const server = await spawnServer(t, databaseUrl, { SERVER_THREADS: threads, CRYPTO_THREADS: '2' });
    const email = freshEmail();
    await call(server.url, 'POST', '/signup', { body: { email, password } });
    await admin.query('begin');
    await admin.query('lock table sessions in access exclusive mode');
    const cut = call(server.url, 'POST', tokenPath, { body: { email, password } }).catch(() => 'cut');
    await pause(200);
    server.signal('SIGTERM');
    await pause(300);
    const secondMs = performance.now();
    t.same(await server.stop('SIGTERM'), { code: null, signal: 'SIGKILL' });
    t.ok(performance.now() - secondMs < 1000, 'at once');
    t.equal(await cut, 'cut');
    t.ok(
      server.lines.some((line) => line.includes('a second signal ends at once')),
      'it had said so',
    );
    await admin.query('rollback');
  }
});

t.test('REL-15: an endless statement does not prevent the exit', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const email = freshEmail();
  const servers = await Promise.all(
    ['1', '2'].map((threads) => {
      const settings = {
        SERVER_THREADS: threads,
        CRYPTO_THREADS: '2',
        DB_STATEMENT_TIMEOUT: '60s',
        API_MAX_REQUEST_DURATION: '60s',
      };
      return spawnServer(t, databaseUrl, settings);
    }),
  );
  await call(servers[0]!.url, 'POST', '/signup', { body: { email, password } });
  await admin.query('begin');
  await admin.query('lock table sessions in access exclusive mode');
  await Promise.all(
    servers.map(async (server) => {
      const answer = call(server.url, 'POST', tokenPath, { body: { email, password } });
      await pause(200);
      const signalMs = performance.now();
      t.same(await server.stop(), { code: 0, signal: null });
      const stopMs = performance.now() - signalMs;
      t.ok(stopMs < LONGEST_STOP_MS, `${Math.round(stopMs)} ms`);
      t.match(await answer, { status: 503, body: { error_code: 'service_unavailable' } });
    }),
  );
  await admin.query('rollback');
});

t.test('REL-15: every signal during a login storm is a clean exit', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const email = freshEmail();
  let answered = 0;
  const rounds = pickForm({ short: 2, full: 4, long: 10 });
  for (let round = 0; round < rounds; round++) {
    const settings = {
      SERVER_THREADS: String(1 + (round % 2)),
      CRYPTO_THREADS: '2',
      PASSWORD_ARGON2_MEMORY_KIB: '19456',
      PASSWORD_ARGON2_ITERATIONS: '2',
    };
    const server = await spawnServer(t, databaseUrl, settings);
    if (round === 0) await call(server.url, 'POST', '/signup', { body: { email, password } });
    const storm = Array.from({ length: 40 }, async () => {
      const connection = await keepConnection(server.port);
      for (let isLast = false; !isLast; ) {
        const answer = await connection.send('POST', tokenPath, { email, password });
        isLast = answer.isLast;
        if (answer.status === 200) answered += 1;
        else if (answer.status !== 503) t.fail(`status ${answer.status}`);
      }
      connection.close();
    });
    const stormed = Promise.allSettled(storm);
    await pause(100 + Math.random() * 300);
    const signalMs = performance.now();
    t.same(await server.stop(), { code: 0, signal: null }, `round ${round}`);
    t.ok(performance.now() - signalMs < LONGEST_STOP_MS);
    const cut = (await stormed).filter(({ status }) => status === 'rejected');
    t.same(cut, [], 'no request was cut');
  }
  t.ok(answered > 5 * rounds, `the storm was real: ${answered} sign-ins`);
});
