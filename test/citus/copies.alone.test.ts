import { distributeTables } from '../../src/db/citus/distribute.js';
import { readClusterLayout } from '../../src/db/citus/layout.js';
import { migrate } from '../../src/db/migrate.js';
import { withClient } from '../support/citus/cluster.js';
import { CITUS_SETTINGS, createEmptyDatabase } from '../support/citus/server.js';
import { runBinary } from '../support/process.js';
import { freshEmail, openTestServer, password, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

void t.test('Citus: the copies follow their tables, whoever changes them', async (t) => {
  const url = await createEmptyDatabase(t);
  if (url === undefined) return;
  const prefix = 'auth_';
  await migrate({ url, prefix });
  // Of an application, which has tables of its own in the cluster.
  const change = (sql: string) => withClient(url, (client) => client.query(sql));
  await change('create schema app; create table app.auth_sessions (id uuid primary key)');
  await change("select create_distributed_table('app.auth_sessions', 'id')");
  const distribute = async (): Promise<string[]> => {
    const steps: string[] = [];
    await distributeTables({ url, prefix, onStep: (text) => steps.push(text) });
    return steps;
  };
  t.match((await distribute()).slice(-2), [
    'auth_sessions is distributed by id',
    'auth_session_records is distributed like the sessions',
  ]);

  const { call, post } = await openTestServer(t, { ...CITUS_SETTINGS, DB_NAMESPACE: 'auth' }, () => url);
  const email = freshEmail();
  const { status, body: account } = await post('/signup', { email, password });
  t.equal(status, 200, 'with a namespace');
  const signIn = () => post('/token?grant_type=password', { email, password });
  const count = async (table: string): Promise<number> =>
    Number((await change(`select count(*) from auth_${table}`)).rows[0].count);

  await t.test('a transaction that changes an account does not keep others from signing up', async (t) => {
    await withClient(url, async (client) => {
      await client.query('begin');
      await client.query('update auth_users set updated_at = now(), user_metadata = $1 where id = $2', [
        '{"kept": true}',
        account.user.id,
      ]);
      await client.query("set local lock_timeout = '10s'");
      const other = await post('/signup', { email: freshEmail(), password });
      t.equal(other.status, 200);
      const changed = await call('PUT', '/user', { bearer: other.body.access_token, body: { data: { a: 1 } } });
      t.equal(changed.status, 200);
      await client.query('commit');
    });
    const { body } = await call('GET', '/user', { bearer: account.access_token });
    t.strictSame(body.user_metadata.kept, true);
  });

  await t.test('a key is not changed', async (t) => {
    const changed = change(`update auth_users set id = gen_random_uuid() where id = '${account.user.id}'`);
    await t.rejects(changed, { message: /The key of a row of auth_users cannot be changed/ });
  });

  await t.test('between a release with another column of the sessions and the next distribution', async (t) => {
    await change('alter table auth_sessions add column added_later text');
    const opened = await signIn();
    t.equal(opened.status, 200);
    t.equal((await call('POST', '/logout?scope=local', { bearer: opened.body.access_token })).status, 204);
    const ended = await post('/token?grant_type=refresh_token', { refresh_token: opened.body.refresh_token });
    t.equal(ended.status, 400);
    t.equal((await signIn()).status, 200);
    t.equal((await call('POST', '/logout?scope=others', { bearer: account.access_token })).status, 204);
  });

  await t.test('a column that is filled in part is filled on', async (t) => {
    await change("alter table auth_users add column added_later text default 'value'");
    await change("select auth_make_copy('auth_users', 'auth_node_users', '*', array['id'], true)");
    t.match(await distribute(), ['each node has a copy of auth_users']);
    const { rows } = await change('select distinct added_later from auth_node_users');
    t.strictSame(rows, [{ added_later: 'value' }]);
    t.strictSame(await distribute(), []);
  });

  await t.test('accounts that are truncated take their sessions along', async (t) => {
    await change('truncate auth_users cascade');
    t.equal((await call('GET', '/user', { bearer: account.access_token })).status, 403);
    const refreshed = await post('/token?grant_type=refresh_token', { refresh_token: account.refresh_token });
    t.equal(refreshed.status, 400);
    t.strictSame([await count('node_users'), await count('node_identities'), await count('sessions')], [0, 0, 0]);
  });
  t.strictSame((await readClusterLayout(url, prefix))?.problems, []);

  const checked = await runBinary(t, ['check', 'db'], testEnvironment(url, { DB_NAMESPACE: 'auth' }));
  t.equal(checked.code, 1);
  t.match(checked.stdout, 'This database is distributed, so refreshes fail while AUTH_DB_CITUS is off.');
});
