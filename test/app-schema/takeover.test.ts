/** The tables of supabase/auth in the same database, with an application that hangs on them, become the mirror. */
import { randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import pg from 'pg';
import { openAdminServer } from '../support/admin.js';
import { readApplication, readRow } from '../support/app-schema.js';
import { addPeerUser, createPeerTables } from '../support/peer-tables.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, password, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a move within one database', async (t) => {
  const [email, id] = [freshEmail(), randomUUID()];
  const server = await openAdminServer(t, { DB_APP_SCHEMA: 'auth' }, async (url) => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await createPeerTables(admin);
    // With a body of its own.
    await admin.query(`create function auth.uid() returns uuid language sql stable as $$
      select nullif(current_setting('request.jwt.claims', true)::jsonb ->> 'sub', '')::uuid $$`);
    await admin.query(readApplication('starter'));
    await addPeerUser(admin, email, id);
    await admin.query('update auth.users set encrypted_password = $1, recovery_token = $2', [
      bcrypt.hashSync(password, 4),
      'a-token-of-theirs',
    ]);
    await admin.end();
    return url;
  });
  const { admin, call, database, post } = server;
  const sql = database.admin;
  const settings = { DB_APP_SCHEMA: 'auth' };
  const empty = `${t.testdir({ 'empty.env': '' })}/empty.env`;
  const environment = { ...testEnvironment(database.url, settings), PEER_URL: database.url };
  const run = (...args: string[]) => runCommand(args, environment, empty);
  const profile = (user: string) => readRow(sql, 'select * from public.profiles where id = $1', [user]);

  await t.test('rows that were not imported are shown', async (t) => {
    const { code, out } = await run('check', 'app-schema');
    t.equal(code, 1);
    t.match(out, new RegExp(`1 rows of auth.users have no account: import them .*${id}`));
    t.match(out, /trigger +on_auth_user_created on auth\.users calls handle_new_user\(\)/);
    t.match(out, /foreign key +profiles \(profiles_id_fkey\); a deletion: cascade/);
    t.match(out, /foreign key +invoices \(invoices_user_id_fkey\); a deletion: refuses/);
  });

  await t.test('the import finds them by id', async (t) => {
    const { code, err } = await run(
      'users',
      'import',
      '--from-gotrue',
      'env:PEER_URL',
      '--bookmark',
      `${empty}.bookmark`,
    );
    t.equal(code, 0, err);
    t.match(await profile(id), { email, updates: 0 });
    t.match(await readRow(sql, 'select * from auth.users where id = $1', [id]), {
      recovery_token: 'a-token-of-theirs',
    });
    t.match(await run('check', 'app-schema'), { code: 0, out: /The schema is well/ });
  });

  await t.test('accounts live on', async (t) => {
    const { status, body } = await post('/token?grant_type=password', { email, password });
    t.equal(status, 200);
    await call('PUT', '/user', { bearer: body.access_token, body: { data: { full_name: 'Ada' } } });
    t.match(await profile(id), { full_name: 'Ada', updates: 1 });
    t.equal((await admin('PUT', `/admin/users/${id}`, { app_metadata: { plan: 'gold' } })).status, 200);
    t.match(await profile(id), { updates: 1 }, 'no trigger of another column fires');
    t.match(await readRow(sql, 'select * from public.members where id = $1', [id]), { email, provider: 'email' });
    const fresh = (await post('/signup', { email: freshEmail(), password, data: { full_name: 'Grace' } })).body.user;
    t.match(await profile(fresh.id), { full_name: 'Grace' });
    t.match(await admin('DELETE', `/admin/users/${id}`), { status: 200 });
    t.equal(await profile(id), undefined);
    t.equal(await readRow(sql, 'select 1 from auth.users where id = $1', [id]), undefined);
  });

  await t.test('an address of a row that was not imported is taken', async (t) => {
    const taken = freshEmail();
    await sql.query('alter table auth.users disable trigger latchkey_insertions');
    await sql.query('insert into auth.users (id, email) values (gen_random_uuid(), $1)', [taken]);
    await sql.query('alter table auth.users enable trigger latchkey_insertions');
    t.match(await post('/signup', { email: taken, password }), {
      status: 500,
      body: { msg: 'Database error saving new user' },
    });
  });

  await t.test('what the mirror lacks is repaired', async (t) => {
    const { user } = (await post('/signup', { email: freshEmail(), password, data: { full_name: 'Lost' } })).body;
    await sql.query('alter table auth.users disable trigger latchkey_deletions');
    await sql.query('delete from auth.users where id = $1', [user.id]);
    await sql.query('alter table auth.users enable trigger latchkey_deletions');
    t.match(await run('check', 'app-schema'), { code: 1, out: /The mirror lacks 1 accounts and 1 identities/ });
    t.match((await run('check', 'app-schema', '--repair')).out, /repaired +2/);
    t.match(await profile(user.id), { full_name: 'Lost' });
  });

  await t.test('switched off, the tables stay', async (t) => {
    const off = await runCommand(['migrate'], testEnvironment(database.url), empty);
    t.match(off, { code: 0 });
    const before = await readRow(sql, 'select count(*)::int as count from auth.users');
    t.equal((await post('/signup', { email: freshEmail(), password })).status, 200);
    t.same(await readRow(sql, 'select count(*)::int as count from auth.users'), before);
    const { rows } = await sql.query(
      `select tgname from pg_trigger where not tgisinternal and tgrelid in ('auth.users'::regclass, 'public.users'::regclass)
       and (tgname like 'latchkey%' or tgname like '%mirror%')`,
    );
    t.same(rows, []);
    t.match(await run('migrate'), { code: 0 });
    t.match(await run('check', 'app-schema'), { code: 1, out: /The mirror lacks 1 accounts/ });
  });
});
