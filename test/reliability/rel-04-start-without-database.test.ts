import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';

t.test('REL-04, REL-25: without a database it starts, says so, and is ready soon after it appears', async (t) => {
  const postgres = await startOwnPostgres(t);
  await postgres.stop();
  const server = await spawnServer(t, postgres.url);
  const ready = () => call(server.url, 'GET', '/health/ready', { bearer: adminToken() });

  t.equal((await call(server.url, 'GET', '/health')).status, 200);
  t.match(await ready(), { status: 503, body: { ready: false, database: 'down', schema: 'unknown', draining: false } });
  const email = freshEmail();
  assertUnavailable(t, await call(server.url, 'POST', '/signup', { body: { email, password } }));
  assertUnavailable(t, await call(server.url, 'POST', '/token?grant_type=password', { body: { email, password } }));
  // Long enough for the pauses between two tries to reach their longest.
  await pause(4000);
  t.match(await ready(), { status: 503 });
  const away = server.lines.filter((line) => line.includes('The database is away'));
  t.ok(away.length >= 3 && away.length <= 12, `it tried again and again, with pauses: ${away.length} times`);
  t.ok(
    away.every((line) => !line.includes(new URL(postgres.url).password)),
    'the log does not hold the password',
  );

  await postgres.start();
  const acceptedMs = performance.now();
  let answer = await ready();
  for (; answer.status !== 200 && performance.now() - acceptedMs < 10_000; answer = await ready()) await pause(20);
  const readyMs = performance.now() - acceptedMs;
  t.match(answer, { status: 200, body: { ready: true, database: 'up', schema: 'current' } });
  t.ok(readyMs < 2000, `ready ${Math.round(readyMs)} ms after the database accepted`);
  t.equal((await call(server.url, 'POST', '/signup', { body: { email, password } })).status, 200);
  t.match(await server.stop(), { code: 0 });
});

t.test('REL-04: a signal ends it while it waits for the database', async (t) => {
  // 192.0.2.0/24 is for documentation (RFC 5737): packets to it are lost or rejected, depending on the network.
  for (const url of ['postgres://u:p@127.0.0.1:1/d', 'postgres://u:p@192.0.2.1:5432/d']) {
    const server = await spawnServer(t, url);
    await pause(300);
    const startedMs = performance.now();
    t.match(await server.stop(), { code: 0, signal: null });
    t.ok(performance.now() - startedMs < 10_000);
    t.notOk(server.lines.some((line) => line.includes('"level":"fatal"')));
  }
});
