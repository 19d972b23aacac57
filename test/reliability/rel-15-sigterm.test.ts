import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { createTestDatabase } from '../support/database.js';
import { keepConnection } from '../support/keep-alive.js';
import { isListening } from '../support/listening.js';
import { untilBlocked } from '../support/lock-waits.js';
import { pickForm } from '../support/long-form.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { pickFirst } from '../support/rows.js';
import { call, freshEmail, password } from '../support/server.js';
import { type Test, t, takesMinutesInFull } from '../support/tap.js';
import { until } from '../support/until.js';

takesMinutesInFull('servers of one thread and of two, under load');

const tokenPath = '/token?grant_type=password';
/** Of a statement and of its request. */
const ENDLESS_SECONDS = 60;

/** A server that has to give up what still runs ends all the same, and says so. */
function assertInTime(t: Test, { lines }: ServerProcess): void {
  t.notOk(
    lines.some((line) => line.includes('leaving behind')),
    'nothing was left behind',
  );
}

// The tests below end servers of one thread; the full form puts those under load, too.
for (const threads of pickFirst(['2', '1'])) {
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
      await untilBlocked({ admin });

      server.signal('SIGTERM');
      const signalMs = performance.now();
      const askReadiness = () => probes[0]!.send('GET', '/health/ready', undefined, adminToken());
      let readiness = await askReadiness();
      while (!readiness.isLast) readiness = await askReadiness();
      t.match(readiness, { status: 503, body: { ready: false, draining: true } });
      t.equal((await probes[1]!.send('GET', '/health')).status, 200, 'alive while it drains');
      while (await isListening(server.port)) await pause(5);
      // While the sign-ins still wait. How soon depends on when a busy machine delivers the signal.
      t.comment(`not ready and no new connection after ${Math.round(performance.now() - signalMs)} ms`);
      // Arrives on a kept connection during the shutdown, and finishes, too.
      const late = probes[2]!.send('POST', tokenPath, { email, password });
      // Longer than the server waits for the last bytes of other answers to leave.
      await pause(500);
      await admin.query('commit');
      t.match(await late, { status: 200, isLast: true });

      t.match(await server.exited, { code: 0, signal: null });
      assertInTime(t, server);
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

t.test('REL-15: a second signal ends it at once', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  // The signal is the main thread's: with server threads it has more to end.
  for (const threads of pickFirst(['2', '1'])) {
    const server = await spawnServer(t, databaseUrl, { SERVER_THREADS: threads, CRYPTO_THREADS: '2' });
    const email = freshEmail();
    await call(server.url, 'POST', '/signup', { body: { email, password } });
    await admin.query('begin');
    await admin.query('lock table sessions in access exclusive mode');
    const cut = call(server.url, 'POST', tokenPath, { body: { email, password } }).catch(() => 'cut');
    await untilBlocked({ admin });
    server.signal('SIGTERM');
    await until(() => server.lines.some((line) => line.includes('a second signal ends at once')));
    t.same(await server.stop('SIGTERM'), { code: null, signal: 'SIGKILL' }, 'at once: not by its own exit');
    t.equal(await cut, 'cut');
    await admin.query('rollback');
  }
});

t.test('REL-15: an endless statement does not prevent the exit', async (t) => {
  const { url: databaseUrl, admin } = await createTestDatabase(t);
  const email = freshEmail();
  const servers = await Promise.all(
    // A server thread ends its requests as a server of one thread does.
    pickFirst(['1', '2']).map((threads) => {
      const settings = {
        SERVER_THREADS: threads,
        CRYPTO_THREADS: '2',
        DB_STATEMENT_TIMEOUT: `${ENDLESS_SECONDS}s`,
        API_MAX_REQUEST_DURATION: `${ENDLESS_SECONDS}s`,
      };
      return spawnServer(t, databaseUrl, settings);
    }),
  );
  await call(servers[0]!.url, 'POST', '/signup', { body: { email, password } });
  await admin.query('begin');
  await admin.query('lock table sessions in access exclusive mode');
  const sentMs = performance.now();
  const answers = servers.map((server) => call(server.url, 'POST', tokenPath, { body: { email, password } }));
  await untilBlocked({ admin }, servers.length);
  await Promise.all(
    servers.map(async (server, index) => {
      t.same(await server.stop(), { code: 0, signal: null });
      t.match(await answers[index], { status: 503, body: { error_code: 'service_unavailable' } });
    }),
  );
  t.ok(performance.now() - sentMs < ENDLESS_SECONDS * 1000, 'neither waits for the end of the statement');
  await admin.query('rollback');
});

// The short form has the first test, which also ends a server that is at its limit.
for (const rounds of pickForm<number[]>({ short: [], full: [2], long: [10] })) {
  t.test('REL-15: every signal during a login storm is a clean exit', async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const email = freshEmail();
    for (let round = 0; round < rounds; round++) {
      let answered = 0;
      const settings = {
        SERVER_THREADS: String(1 + (round % 2)),
        CRYPTO_THREADS: '2',
        PASSWORD_ARGON2_MEMORY_KIB: '9728',
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
      // A busy machine takes longer until the storm is one.
      await until(() => answered > 5 * (round + 1));
      await pause(Math.random() * 300);
      t.same(await server.stop(), { code: 0, signal: null }, `round ${round}`);
      assertInTime(t, server);
      const cut = (await stormed).filter(({ status }) => status === 'rejected');
      t.same(cut, [], 'no request was cut');
    }
  });
}
