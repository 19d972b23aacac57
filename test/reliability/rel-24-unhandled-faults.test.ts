import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { faultEnvironment } from '../support/faults.js';
import { untilBlocked } from '../support/lock-waits.js';
import { type ServerProcess, spawnServer } from '../support/process.js';
import { cross, pickRows } from '../support/rows.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

/** In the main thread of one, or in one of two server threads. */
const cases = pickRows(cross(['rejection', 'exception'], ['process', 'thread']), [
  ([kind]) => kind,
  ([, where]) => where,
]);
const kindsIn = (place: string) => cases.flatMap(([kind, where]) => (where === place ? [kind] : []));

const tellingOf = ({ lines }: ServerProcess) => lines.filter((line) => line.includes('injected fault'));

for (const kind of kindsIn('process')) {
  t.test(`REL-24: an uncaught ${kind} is logged once and ends in exit 1 after a drain`, async (t) => {
    const { url: databaseUrl, admin } = await createTestDatabase(t);
    const server = await spawnServer(t, databaseUrl, {}, faultEnvironment(kind));
    const email = freshEmail();
    await call(server.url, 'POST', '/signup', { body: { email, password } });
    await admin.query('begin');
    await admin.query('lock table sessions in access exclusive mode');
    const running = call(server.url, 'POST', '/token?grant_type=password', { body: { email, password } });
    await untilBlocked({ admin });
    server.signal('SIGUSR2');
    await until(() => tellingOf(server).length > 0);
    await admin.query('commit');

    t.equal((await running).status, 200, 'what ran was finished');
    t.same(await server.exited, { code: 1, signal: null });
    const telling = tellingOf(server);
    t.equal(telling.length, 1, telling.join('\n'));
    t.match(JSON.parse(telling[0]!), { level: 'fatal', error: 'Error: injected fault', stack: /on-signal/ });
  });
}

for (const kind of kindsIn('thread')) {
  t.test(
    `REL-24: in one of two server threads, an uncaught ${kind} ends that thread, and another replaces it`,
    async (t) => {
      const { url: databaseUrl, admin } = await createTestDatabase(t);
      const server = await spawnServer(
        t,
        databaseUrl,
        // Each thread has connections for all that wait below.
        { SERVER_THREADS: '2', CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '8' },
        faultEnvironment(`thread-${kind}`),
      );
      const email = freshEmail();
      await call(server.url, 'POST', '/signup', { body: { email, password } });
      await admin.query('begin');
      await admin.query('lock table sessions in access exclusive mode');
      const running = Array.from({ length: 4 }, () =>
        call(server.url, 'POST', '/token?grant_type=password', { body: { email, password } }),
      );
      await untilBlocked({ admin }, running.length);
      server.signal('SIGUSR2');
      await until(() => tellingOf(server).length > 0);
      await admin.query('commit');
      for (const { status } of await Promise.all(running))
        t.equal(status, 200, 'what ran was finished, in both threads');
      for (let n = 0; n < 20; n++) {
        t.equal((await call(server.url, 'GET', '/health', { headers: { connection: 'close' } })).status, 200);
        await pause(50);
      }
      const telling = tellingOf(server);
      t.equal(telling.length, 1, telling.join('\n'));
      t.match(JSON.parse(telling[0]!), { level: 'fatal', error: 'Error: injected fault', stack: /on-signal/ });
      t.same(await server.stop(), { code: 0, signal: null });
    },
  );
}
