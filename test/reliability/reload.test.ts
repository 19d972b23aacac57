import { setTimeout as pause } from 'node:timers/promises';
import { adminToken } from '../support/admin.js';
import { keepConnection } from '../support/keep-alive.js';
import { untilBlocked } from '../support/lock-waits.js';
import { pickForm } from '../support/long-form.js';
import { isSignupOff, RELOADED, spawnReloadingServer } from '../support/reload.js';
import { call, freshEmail, password } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';
import { until } from '../support/until.js';

onlyInFull(
  'a server under load that is reloaded again and again; what a reload changes: reload-folder, console-config',
);

const RELOADS = pickForm({ short: 4, full: 6, long: 10 });
/** Between the turns of a client. */
const TURN_MS = 25;
const NOT_RELOADED = 'The configuration was not reloaded';

const readLocation = async (url: string) =>
  (await call(url, 'GET', '/verify?token=nothing&type=signup', { headers: { connection: 'close' } })).headers.get(
    'location',
  );

for (const threads of pickForm({ short: ['2'], full: ['1', '2'] })) {
  t.test(`reload: under load on ${threads} server thread(s) every request is answered`, async (t) => {
    const siteOf = (n: number) => `https://site-${n}.example.com`;
    const server = await spawnReloadingServer(t, {
      settings: { SITE_URL: '', SERVER_THREADS: threads, CRYPTO_THREADS: '2', DB_MAX_POOL_SIZE: '8' },
      files: { 'latchkey.env': `AUTH_SITE_URL=${siteOf(0)}\n` },
      args: (directory) => ['-c', `${directory}/latchkey.env`],
    });
    let isDone = false;
    const statuses = new Map<number, number>();
    const clients = Array.from({ length: 8 }, async () => {
      const email = freshEmail();
      let { body: session } = await call(server.url, 'POST', '/signup', { body: { email, password } });
      const connection = await keepConnection(server.port);
      while (!isDone) {
        const { refresh_token } = session;
        const refreshed = await connection.send('POST', '/token?grant_type=refresh_token', { refresh_token });
        if (refreshed.status === 200) session = refreshed.body;
        const user = await connection.send('GET', '/user', undefined, session.access_token);
        for (const { status } of [refreshed, user]) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await pause(TURN_MS);
      }
      connection.close();
    });
    while ((statuses.get(200) ?? 0) < 50) await pause(10);

    for (let n = 1; n <= RELOADS; n++) {
      await server.write('latchkey.env', `AUTH_SITE_URL=${siteOf(n)}\n`);
      server.signal('SIGHUP');
      const entry = await server.waitFor(RELOADED, n);
      t.match(entry, { generation: n + 1, changed: ['AUTH_SITE_URL'], reason: 'SIGHUP' });
      // New connections go to the threads in turn.
      for (let thread = 0; thread < 4; thread++) t.match(await readLocation(server.url), siteOf(n));
    }
    isDone = true;
    await Promise.all(clients);
    t.same([...statuses.keys()], [200], `${statuses.get(200)} requests during ${RELOADS} reloads`);
    for (let thread = 0; thread < 2; thread++) {
      const options = { bearer: adminToken(), headers: { connection: 'close' } };
      t.match((await call(server.url, 'GET', '/health/ready', options)).body, { ready: true, generation: RELOADS + 1 });
    }
    // A bad file changes nothing, and the log has the setting and the cure.
    await server.write('latchkey.env', `AUTH_SITE_URL=${siteOf(99)}\nAUTH_JWT_EXP=soon\n`);
    server.signal('SIGHUP');
    const refused = await server.waitFor(NOT_RELOADED);
    t.match(refused, { level: 'error', variable: 'AUTH_JWT_EXP', example: 'AUTH_JWT_EXP=15m' });
    t.match(refused['problem'], /must be a duration/);
    for (let thread = 0; thread < 2; thread++) t.match(await readLocation(server.url), siteOf(RELOADS));
    t.same(await server.stop(), { code: 0, signal: null });
  });
}

t.test('reload: removed names, running requests, and counts of limits', async (t) => {
  const lines = (limit: number, site: string) =>
    `AUTH_RATE_LIMIT_ANONYMOUS_USERS=${limit}\nAUTH_SITE_URL=https://${site}.example.com\n`;
  const server = await spawnReloadingServer(t, {
    settings: {
      ...{ SITE_URL: '', DISABLE_SIGNUP: '' },
      ...{ RATE_LIMIT_HEADER: 'X-Client', EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' },
    },
    files: { '.env': `${lines(2, 'old')}AUTH_DISABLE_SIGNUP=true\n` },
    args: () => [],
  });

  await t.test('a removed name falls back, secrets stay out of the log, a restart is asked for', async (t) => {
    t.equal(await isSignupOff(server.url), true);
    const secret = `${lines(2, 'old')}AUTH_SMTP_PASS=a-new-secret-of-mine\n`;
    await server.write('.env', `${secret}AUTH_DB_MAX_POOL_SIZE=7\nAUTH_API_HOST=127.0.0.2\n`);
    server.signal('SIGHUP');
    t.match(await server.waitFor(RELOADED), { changed: ['AUTH_DISABLE_SIGNUP', 'AUTH_SMTP_PASS'] });
    t.equal(await isSignupOff(server.url), false);
    t.notOk(
      server.lines.some((line) => line.includes('a-new-secret')),
      'only its name is logged',
    );
    // The environment of the test sets both, and the environment wins over the file.
    t.same(server.logged('take effect with a restart'), []);
    await server.write('.env', `${secret}AUTH_SERVER_THREADS=3\n`);
    server.signal('SIGHUP');
    t.match(await server.waitFor('take effect with a restart'), { variables: ['AUTH_SERVER_THREADS'] });
    t.match(await server.waitFor('Nothing to reload has changed'), { generation: 2 });
  });

  await t.test('a running request finishes on the old configuration', async (t) => {
    const { admin } = server.database;
    await admin.query('begin');
    await admin.query('lock table one_time_tokens, users in access exclusive mode');
    const old = readLocation(server.url);
    await untilBlocked({ admin });
    await server.write('.env', lines(2, 'new'));
    server.signal('SIGHUP');
    await server.waitFor(RELOADED, 2);
    const next = readLocation(server.url);
    await untilBlocked({ admin }, 2);
    await admin.query('commit');
    t.match(await old, /^https:\/\/old\.example\.com/);
    t.match(await next, /^https:\/\/new\.example\.com/);
  });

  await t.test('counts of limits stay, and a higher limit admits at once', async (t) => {
    const signUp = async () =>
      (await call(server.url, 'POST', '/signup', { body: {}, headers: { 'x-client': '192.0.2.1' } })).status;
    t.same([await signUp(), await signUp(), await signUp()], [200, 200, 429]);
    await server.write('.env', lines(2, 'newer'));
    server.signal('SIGHUP');
    await server.waitFor(RELOADED, 3);
    t.equal(await signUp(), 429, 'the count is kept');
    await server.write('.env', lines(20_000, 'newer'));
    server.signal('SIGHUP');
    await server.waitFor(RELOADED, 4);
    // One more in less than 0.2 s: the bucket fills at the rate of the new limit.
    await until(async () => (await signUp()) === 200);
    t.pass('the new limit refills the bucket');
  });
  t.same(await server.stop(), { code: 0, signal: null });
});
