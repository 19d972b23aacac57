/** The mirror and the accounts stay together: parallel requests, deadlocks, lost servers and connections. */
import { openAdminServer } from '../support/admin.js';
import { readApplication, readRow } from '../support/app-schema.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { untilBlocked } from '../support/lock-waits.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { findPgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import { spawnServer } from '../support/process.js';
import { call, freshEmail, password } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

const settings = { DB_APP_SCHEMA: 'auth' };

/** Rows that one side lacks. */
async function assertTogether(t: Test, { admin }: Pick<TestDatabase, 'admin'>, count: number): Promise<void> {
  const row = await readRow(
    admin,
    `select (select count(*)::int from users) as accounts,
       (select count(*)::int from auth.users m join users u using (id)) as mirrored,
       (select count(*)::int from auth.identities m join identities i using (id)) as identities,
       (select count(*)::int from public.profiles p join users u using (id)) as profiles`,
  );
  t.same(row, { accounts: count, mirrored: count, identities: count, profiles: count });
}

t.test('a server of this process', async (t) => {
  const { admin, call, database, post } = await openAdminServer(t, { ...settings, DB_STATEMENT_TIMEOUT: '30s' });
  const sql = database.admin;
  await sql.query(readApplication('starter'));
  const signUp = async (full_name = 'Ada') =>
    (await post('/signup', { email: freshEmail(), password, data: { full_name } })).body;

  await t.test('50 parallel sign-ups, changes and deletions', async (t) => {
    const signUps = await Promise.all(
      Array.from({ length: 50 }, () => post('/signup', { email: freshEmail(), password, data: { full_name: 'Ada' } })),
    );
    // A busy machine refuses some, which must leave nothing.
    const allowed = (status: number) => status === 200 || status === 503;
    t.ok(signUps.every(({ status }) => allowed(status)));
    const users = signUps.filter(({ status }) => status === 200).map(({ body }) => body);
    t.ok(users.length > 10);
    await assertTogether(t, database, users.length);

    const requests = users.map(async ({ user, access_token: bearer }, index) => {
      if (index % 3 === 0) return admin('DELETE', `/admin/users/${user.id}`);
      if (index % 3 === 1) return call('PUT', '/user', { bearer, body: { data: { index } } });
      return null;
    });
    const bySql = users.filter((_, index) => index % 3 === 2);
    for (const { user } of bySql) {
      await sql.query(`update auth.users set raw_app_meta_data = raw_app_meta_data || '{"seen": true}' where id = $1`, [
        user.id,
      ]);
      await sql.query('delete from auth.users where id = $1', [user.id]);
    }
    const answers = await Promise.all(requests);
    t.ok(answers.every((answer) => answer === null || allowed(answer.status)));
    const deleted = answers.filter((answer, index) => index % 3 === 0 && answer?.status === 200).length + bySql.length;
    await assertTogether(t, database, users.length - deleted);
  });

  await t.test('a deadlock with a statement of the application is repeated', async (t) => {
    const { user, access_token: bearer } = await signUp();
    await sql.query('begin');
    await sql.query('select from auth.users where id = $1 for update', [user.id]);
    const change = call('PUT', '/user', { bearer, body: { data: { city: 'Rome' } } });
    await untilBlocked(database);
    await sql.query(`set local deadlock_timeout = '5s'`);
    await sql.query(`update auth.users set raw_app_meta_data = raw_app_meta_data || '{"plan": "gold"}' where id = $1`, [
      user.id,
    ]);
    await sql.query('commit');
    t.match(await change, { status: 200, body: { user_metadata: { city: 'Rome' } } });
    t.match(await readRow(sql, 'select * from auth.users where id = $1', [user.id]), {
      raw_app_meta_data: { plan: 'gold' },
      raw_user_meta_data: { city: 'Rome' },
    });
    t.match(await readRow(sql, 'select * from users where id = $1', [user.id]), { app_metadata: { plan: 'gold' } });
  });

  await t.test('a connection that ends while a trigger runs leaves nothing', async (t) => {
    const before = await readRow(sql, 'select count(*)::int as count from users');
    const lost = post('/signup', { email: freshEmail(), password, data: { full_name: 'slow' } });
    const asleep = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`;
    await until(async () => (await sql.query(asleep)).rowCount === 1);
    t.match(await lost, { status: 503 });
    t.same(await readRow(sql, 'select count(*)::int as count from users'), before);
    await assertTogether(t, database, before.count);
  });
});

t.test('a server that is killed while triggers run', async (t) => {
  const database = await createTestDatabase(t);
  const server = await spawnServer(t, database.url, settings);
  await database.admin.query(readApplication('starter'));
  const signUp = (full_name: string) =>
    call(server.url, 'POST', '/signup', { body: { email: freshEmail(), password, data: { full_name } } });
  t.equal((await signUp('Ada')).status, 200);
  const asleep = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  const lost = Promise.allSettled(['slow', 'slow', 'slow'].map(signUp));
  await until(async () => (await database.admin.query(asleep)).rowCount === 3);
  t.match(await server.stop('SIGKILL'), { signal: 'SIGKILL' });
  t.same([...new Set((await lost).map(({ status }) => status))], ['rejected']);
  await until(async () => (await database.admin.query(asleep)).rowCount === 0);
  await assertTogether(t, database, 1);
});

t.test('through PgBouncer in transaction mode', async (t) => {
  if (findPgBouncer() === null) return skipHere(t, missingProgram('PgBouncer', 'pgbouncer'));
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>> | undefined;
  const server = await openAdminServer(t, { ...settings, DB_PREPARED_STATEMENTS: 'false' }, async (url) => {
    bouncer = await startPgBouncer(url);
    t.teardown(() => bouncer?.stop());
    const through = new URL(url);
    through.port = String(bouncer.port);
    return through.href;
  });
  await server.database.admin.query(readApplication('starter'));
  const answers = [];
  for (let count = 0; count < 6; count++) {
    answers.push(await server.post('/signup', { email: freshEmail(), password, data: { full_name: 'Ada' } }));
  }
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  const [first, second] = answers.map(({ body }) => body);
  t.match(await server.call('PUT', '/user', { bearer: second.access_token, body: { data: { full_name: 'Grace' } } }), {
    status: 200,
  });
  t.match(await server.admin('DELETE', `/admin/users/${first.user.id}`), { status: 200 });
  await assertTogether(t, server.database, 5);
});
