import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { sameInFull } from '../support/long-form.js';
import { startOwnPostgres } from '../support/own-postgres.js';
import { spawnServer } from '../support/process.js';
import { pickFirst } from '../support/rows.js';
import { call, freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';
import { assertUnavailable } from '../support/unavailable.js';
import { until } from '../support/until.js';

/** Between tries, in seconds. */
const PAUSES = [0.1, 0.2, 0.4, 0.8, 1, 1];
/** Timers and the clock of the log differ by some milliseconds. */
const CLOCK_MS = 20;

t.test(
  'REL-04, REL-25: without a database it starts, says so, and is ready soon after it appears',
  sameInFull,
  async (t) => {
    const postgres = await startOwnPostgres(t);
    await postgres.stop();
    const server = await spawnServer(t, postgres.url);
    const ready = () => call(server.url, 'GET', '/health/ready', { bearer: adminToken() });

    t.equal((await call(server.url, 'GET', '/health')).status, 200);
    t.match(await ready(), {
      status: 503,
      body: { ready: false, database: 'down', schema: 'unknown', draining: false },
    });
    const email = freshEmail();
    assertUnavailable(t, await call(server.url, 'POST', '/signup', { body: { email, password } }));
    assertUnavailable(t, await call(server.url, 'POST', '/token?grant_type=password', { body: { email, password } }));
    const away = () => server.lines.filter((line) => line.includes('The database is away'));
    await until(() => away().length >= PAUSES.length);
    t.match(await ready(), { status: 503 });
    const tries = away().map((line) => JSON.parse(line) as { time: string; retry_in_seconds: number });
    t.same(
      tries.slice(0, PAUSES.length).map((line) => line.retry_in_seconds),
      PAUSES,
      'it tries again and again, at most a second later',
    );
    for (const [index, seconds] of PAUSES.slice(0, -1).entries()) {
      const passedMs = Date.parse(tries[index + 1]!.time) - Date.parse(tries[index]!.time);
      t.ok(passedMs > seconds * 1000 - CLOCK_MS, `the pause of ${seconds} s passes: ${passedMs} ms`);
    }
    t.ok(
      away().every((line) => !line.includes(new URL(postgres.url).password)),
      'the log does not hold the password',
    );

    await postgres.start();
    const failed = away().length;
    await until(async () => (await ready()).status === 200);
    t.match(await ready(), { body: { ready: true, database: 'up', schema: 'current' } });
    // One try may have been under way while the database came up.
    t.ok(away().length <= failed + 1, 'the next try succeeds');
    t.equal((await call(server.url, 'POST', '/signup', { body: { email, password } })).status, 200);
    t.match(await server.stop(), { code: 0 });
  },
);

t.test('REL-04: a signal ends it while it waits for the database', async (t) => {
  // 192.0.2.0/24 is for documentation (RFC 5737): packets to it are lost or rejected, depending on the network.
  const [refused, silent] = ['postgres://u:p@127.0.0.1:1/d', 'postgres://u:p@192.0.2.1:5432/d'];
  for (const url of pickFirst([silent, refused])) {
    const server = await spawnServer(t, url);
    await pause(300);
    t.match(await server.stop(), { code: 0, signal: null });
    t.notOk(
      server.lines.some((line) => line.includes('leaving behind')),
      'its end waits for no try',
    );
    t.notOk(server.lines.some((line) => line.includes('"level":"fatal"')));
  }
});
