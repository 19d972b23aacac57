/** GET /user from a real streaming replica: stale for a bounded time, and without errors. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.js';
import { loadConfig } from '../../src/server/config/load.js';
import { startServer } from '../../src/server/runtime/server.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { type Answer, call, freshEmail, JWT_SECRET, password, testEnvironment } from '../support/server.js';
import { findSystemPostgres, startStandby, startSystemPostgres } from '../support/system-postgres.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

onlyInFull('a second Postgres of its own, which follows the first; GET /user without one: every other test');

const system = findSystemPostgres();

async function connect(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  t.teardown(() => client.end().catch(() => undefined));
  return client;
}

t.test('a replica serves GET /user, with the primary as fallback', async (t) => {
  if (system === undefined) return skipHere(t, missingProgram('Postgres with pg_basebackup', 'postgresql'));
  const primaryUrl = await startSystemPostgres(t, system);
  await migrate({ url: primaryUrl, prefix: '' });
  const standby = await startStandby(t, system, primaryUrl);
  const settings = { DB_REPLICA_URL: standby.url, DB_REPLICA_MAX_LAG: '2s', SESSIONS_CHECK_ACCESS_TOKEN: 'true' };
  const { config } = loadConfig({ environment: testEnvironment(primaryUrl, settings) });
  const server = await startServer(config, '0.0.0-test', await openLog({ level: 'panic', file: '' }));
  t.teardown(() => server.stop(2));
  await server.migrated;
  const url = `http://127.0.0.1:${server.port}`;
  const primary = await connect(t, primaryUrl);
  const replica = await connect(t, standby.url);

  const signUp = async (): Promise<{ bearer: string; id: string }> => {
    const { body } = await call(url, 'POST', '/signup', { body: { email: freshEmail(), password } });
    return { bearer: body.access_token, id: body.user.id };
  };
  const getUser = (bearer: string): Promise<Answer> => call(url, 'GET', '/user', { bearer });
  /** Which server the reads of an account reach: statements of ours each has been sent. */
  const readsOf = async (client: pg.Client): Promise<number> => {
    const { rows } = await client.query<{ tuples: string }>(
      "select coalesce(idx_scan, 0)::text as tuples from pg_stat_user_tables where relname = 'users'",
    );
    return Number(rows[0]?.tuples ?? 0);
  };
  /** Statistics reach the view when a session has been idle for a moment. */
  const readsGrow = async (client: pg.Client, before: number, bearer: string): Promise<boolean> => {
    for (let turn = 0; turn < 60; turn++) {
      await getUser(bearer);
      if ((await readsOf(client)) > before) return true;
      await pause(100);
    }
    return false;
  };

  await t.test('it is used', async (t) => {
    const { bearer } = await signUp();
    await pause(500);
    t.ok(await readsGrow(replica, await readsOf(replica), bearer), 'reads arrive there');
  });

  await t.test('later pages of the account list are read from it, the first from the primary', async (t) => {
    const admin = signTestToken({ role: 'service_role' }, JWT_SECRET);
    await signUp();
    await signUp();
    await pause(1500);
    await replica.query('select pg_wal_replay_pause()');
    try {
      const { id } = await signUp();
      const page = async (query: string) => (await call(url, 'GET', `/admin/users?${query}`, { bearer: admin })).body;
      const first = await page('page=1&per_page=1');
      t.equal(first.users[0].id, id, 'who has just been made is there');
      const second = await page('page=2&per_page=1');
      t.not(second.users[0].id, first.users[0].id);
      const { pagination } = await page('limit=1');
      t.equal((await page(`limit=1&cursor=${pagination.next_cursor}`)).users.length, 1);
    } finally {
      await replica.query('select pg_wal_replay_resume()');
    }
  });

  await t.test('a new account or session is visible at once, also while replication is paused', async (t) => {
    await replica.query('select pg_wal_replay_pause()');
    try {
      for (let turn = 0; turn < 10; turn++) {
        const { bearer } = await signUp();
        t.equal((await getUser(bearer)).status, 200);
      }
      const email = freshEmail();
      await call(url, 'POST', '/signup', { body: { email, password } });
      const { body } = await call(url, 'POST', '/token?grant_type=password', { body: { email, password } });
      t.equal((await getUser(body.access_token)).status, 200, 'a session the replica does not have');
    } finally {
      await replica.query('select pg_wal_replay_resume()');
    }
  });

  await t.test('a ban, a change and a deletion are visible after the permitted lag', async (t) => {
    const { bearer, id } = await signUp();
    while ((await replica.query('select from users where id = $1', [id])).rowCount === 0) await pause(20);
    t.equal((await getUser(bearer)).status, 200);
    await replica.query('select pg_wal_replay_pause()');
    try {
      await primary.query("update users set banned_until = now() + interval '1 hour' where id = $1", [id]);
      let answer = await getUser(bearer);
      while (answer.status === 200) {
        await pause(100);
        answer = await getUser(bearer);
      }
      t.match(
        answer,
        { status: 403, body: { error_code: 'user_banned' } },
        'although the replica still has the account',
      );
      const refused = await call(url, 'PUT', '/user', { bearer, body: { data: { a: 1 } } });
      t.match(refused, { status: 403, body: { error_code: 'user_banned' } }, 'writes never use the replica');
      await primary.query('delete from users where id = $1', [id]);
      t.match(await getUser(bearer), { status: 403, body: { error_code: 'user_not_found' } });
    } finally {
      await replica.query('select pg_wal_replay_resume()');
    }
  });

  await t.test('the schema of an application is there, too, and its writes arrive', async (t) => {
    const appSchema = { schema: 'auth', takesInserts: false, mirrorsSignIns: false };
    // While the server is running, which then writes both.
    await migrate({ url: primaryUrl, prefix: '', appSchema });
    const { bearer, id } = await signUp();
    const read = async () =>
      (await replica.query('select raw_user_meta_data as own from auth.users where id = $1', [id])).rows[0];
    while ((await read()) === undefined) await pause(20);
    const claims = JSON.stringify({ sub: id, role: 'authenticated' });
    await replica.query(`select set_config('request.jwt.claims', $1, false)`, [claims]);
    t.match((await replica.query('select auth.uid(), auth.role()')).rows, [{ uid: id, role: 'authenticated' }]);
    await t.rejects(replica.query(`update auth.users set role = 'editor'`), { code: '25006' });
    await primary.query(`update auth.users set raw_user_meta_data = '{"city": "Rome"}' where id = $1`, [id]);
    while ((await getUser(bearer)).body.user_metadata.city !== 'Rome') await pause(20);
    while ((await read()).own.city !== 'Rome') await pause(20);
    const changed = await call(url, 'PUT', '/user', { bearer, body: { data: { city: 'Oslo' } } });
    t.match(changed, { status: 200, body: { user_metadata: { city: 'Oslo' } } });
    while ((await read()).own.city !== 'Oslo') await pause(20);
    await primary.query('delete from auth.users where id = $1', [id]);
    while ((await getUser(bearer)).status === 200) await pause(20);
    t.match(await getUser(bearer), { status: 403, body: { error_code: 'user_not_found' } });
    await migrate({ url: primaryUrl, prefix: '', appSchema: null });
  });

  await t.test('when it fails, no request fails', async (t) => {
    const { bearer } = await signUp();
    const statuses: number[] = [];
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.push((await getUser(bearer)).status);
    });
    await pause(300);
    await standby.crash();
    const before = statuses.length;
    while (statuses.length < before + 200) await pause(20);
    isOver = true;
    await Promise.all(readers);
    t.same([...new Set(statuses)], [200]);
    t.ok(await readsGrow(primary, await readsOf(primary), bearer), 'the primary answers');
  });
});
