/** Who may do what in the schema of the application (docs/application-database.md). */
import { openAdminServer } from '../support/admin.js';
import { asRequest, makeRequestRoles, readApplication, readRow } from '../support/app-schema.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('roles and policies', async (t) => {
  const { database, post } = await openAdminServer(t, { DB_APP_SCHEMA: 'auth' }, makeRequestRoles);
  const sql = database.admin;
  await sql.query(readApplication('starter'));
  await sql.query(`grant all on public.profiles, public.objects to anon, authenticated;
    create role attacker login; grant create, usage on schema public to attacker;
    grant usage on schema auth to attacker; grant select, update, delete on auth.users to attacker`);
  t.teardown(() => sql.query('drop owned by attacker; drop role attacker').catch(() => undefined));
  const signUp = async (name: string) =>
    (await post('/signup', { email: freshEmail(), password, data: { full_name: name } })).body;
  const [ada, grace] = [await signUp('Ada'), await signUp('Grace')];
  const claimsOf = ({ user }: { user: { id: string; email: string } }) => ({
    sub: user.id,
    role: 'authenticated',
    email: user.email,
    app_metadata: { plan: 'free' },
  });

  await t.test('a request sees what its policies allow', async (t) => {
    const names = async () => (await sql.query('select full_name from public.profiles')).rows;
    t.same(await asRequest(sql, 'authenticated', claimsOf(ada), names), [{ full_name: 'Ada' }]);
    t.same(await asRequest(sql, 'authenticated', claimsOf(grace), names), [{ full_name: 'Grace' }]);
    t.same(await asRequest(sql, 'anon', null, names), []);
    t.same(await asRequest(sql, 'anon', { role: 'anon' }, names), []);
    const insert = () => sql.query("insert into public.objects (name) values ('a.png') returning owner");
    t.same((await asRequest(sql, 'authenticated', claimsOf(ada), insert)).rows, [{ owner: ada.user.id }]);
    await t.rejects(asRequest(sql, 'anon', { role: 'anon' }, insert), { code: '42501' });
  });

  await t.test('the functions read claims in both forms', async (t) => {
    const read = () => readRow(sql, 'select auth.uid(), auth.role(), auth.email(), auth.jwt()');
    t.match(await asRequest(sql, 'authenticated', claimsOf(ada), read), {
      uid: ada.user.id,
      role: 'authenticated',
      email: ada.user.email,
      jwt: { sub: ada.user.id, app_metadata: { plan: 'free' } },
    });
    t.same(await asRequest(sql, 'anon', null, read), { uid: null, role: null, email: null, jwt: null });
    const old = await asRequest(sql, 'anon', { sub: ada.user.id, role: 'anon' }, async () => {
      await sql.query(
        `select set_config('request.jwt.claim.sub', $1, true), set_config('request.jwt.claim.role', '', true)`,
        [grace.user.id],
      );
      return read();
    });
    t.match(old, { uid: grace.user.id, role: 'anon' });
    const { rows } = await sql.query(
      `select provolatile as kind from pg_proc where pronamespace = 'auth'::regnamespace and proname in ('uid', 'role', 'email', 'jwt')`,
    );
    t.same(rows, Array(4).fill({ kind: 's' }));
  });

  await t.test('roles of requests may not read the tables', async (t) => {
    for (const table of ['users', 'identities', 'sessions']) {
      const read = () => sql.query(`select * from auth.${table}`);
      await t.rejects(asRequest(sql, 'authenticated', claimsOf(ada), read), { code: '42501' }, table);
    }
  });

  await t.test('nor the view behind them, whatever default privileges grant', async (t) => {
    await sql.query('grant select on public.app_schema_users to anon');
    await t.rejects(
      asRequest(sql, 'anon', null, () => sql.query('select * from public.app_schema_users')),
      { code: '42501' },
    );
  });

  await t.test('sessions are a view with the rights of its reader', async (t) => {
    const row = await readRow(sql, 'select * from auth.sessions where user_id = $1', [ada.user.id]);
    t.same(Object.keys(row).sort(), ['aal', 'created_at', 'id', 'ip', 'not_after', 'user_agent', 'user_id']);
    t.match(row, { aal: 'aal1', not_after: null });
    await sql.query('grant select on auth.sessions to attacker');
    await t.rejects(
      asRequest(sql, 'attacker', null, () => sql.query('select * from auth.sessions')),
      { code: '42501' },
    );
  });

  await t.test('no role gets more through the functions that act on its writes', async (t) => {
    const bait = `create temporary table users (like auth.users including defaults);
      create function pg_temp.take() returns trigger language plpgsql as $$ begin raise 'taken by %', current_user; end $$;
      create trigger take before delete or update on pg_temp.users for each row execute function pg_temp.take();`;
    const write = () =>
      sql.query(`${bait} insert into pg_temp.users (id) values ('${grace.user.id}');
        update auth.users set raw_app_meta_data = '{"plan": "gold"}' where id = '${grace.user.id}'`);
    await asRequest(sql, 'attacker', null, write);
    const attach = () =>
      sql.query(`create table public.mine (id uuid);
        create trigger mine after delete on public.mine referencing old table as old_rows
        for each statement execute function public.take_application_deletions()`);
    await t.rejects(asRequest(sql, 'attacker', null, attach), { code: '42501' });
  });
});
