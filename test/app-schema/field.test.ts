/** An application of twenty tables survives the move in both directions (test/app-schema/field.sql). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import type pg from 'pg';
import { asAdmin } from '../support/admin.js';
import { asRequest, readApplication, readRow } from '../support/app-schema.js';
import { pickForm } from '../support/long-form.js';
import { openMoving } from '../support/moving.js';
import { runCommand } from '../support/run-command.js';
import { freshEmail, password, testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

const ACCOUNTS = pickForm({ short: 200, full: 2000, long: 10_000 });

/** Accounts of supabase/auth, each with rows in most tables of the application. */
async function addAccounts(admin: pg.Client): Promise<void> {
  await admin.query(
    `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
       recovery_token, email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
     select '00000000-0000-0000-0000-000000000000', md5('user ' || n)::uuid, 'authenticated', 'authenticated',
       'u' || n || '@example.com', $2, now(), '', '', '', '', '{"provider":"email","providers":["email"]}',
       jsonb_build_object('full_name', 'User ' || n, 'user_name', 'user_' || n), now(), now()
     from generate_series(1, $1::int) n`,
    [ACCOUNTS, bcrypt.hashSync(password, 4)],
  );
  await admin.query(`
    insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
    select u.id::text, u.id, jsonb_build_object('sub', u.id, 'email', u.email), 'email', now(), now() from auth.users u;
    insert into auth.sessions (id, user_id, created_at, updated_at, aal)
    select md5('session ' || u.id)::uuid, u.id, now(), now(), 'aal1' from auth.users u;
    insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
    select translate(left(md5(u.id::text), 12), '0189', 'ghij'), u.id, false, now(), now(), md5('session ' || u.id)::uuid from auth.users u;
    insert into public.teams (name, created_by) select 'Team of ' || u.email, u.id from auth.users u;
    insert into public.memberships (team_id, user_id, role) select t.id, t.created_by, 'owner' from public.teams t;
    insert into public.posts (author_id, team_id, title, is_published) select t.created_by, t.id, 'Hello', true from public.teams t;
    insert into public.comments (post_id, author_id, body) select p.id, p.author_id, 'First' from public.posts p;
    insert into public.rooms (name, owner_id) select 'Room', u.id from auth.users u;
    insert into public.messages (room_id, sender_id, body) select r.id, r.owner_id, 'Hi' from public.rooms r;
    insert into public.customers (user_id, billing_id) select u.id, 'cus ' || u.email from auth.users u where u.email like '%7@%';
    insert into public.subscriptions (id, user_id, status, plan) select 'sub ' || c.billing_id, c.user_id, 'active', 'gold' from public.customers c;
    insert into storage.buckets (id, name) values ('avatars', 'avatars'), ('large', 'large');
    insert into storage.objects (bucket_id, name, owner) select 'avatars', u.id || '.png', u.id from auth.users u;
    insert into public.linked_accounts (identity_id, user_id) select i.id, i.user_id from auth.identities i;
  `);
}

/** All rows of the application, without the times that its own triggers write, and what hangs on the tables of the accounts. */
async function readAll(admin: pg.Client): Promise<Record<string, unknown>> {
  const { rows: tables } = await admin.query<{ name: string }>(
    `select distinct c.oid::regclass::text as name from pg_class c
     where c.relkind = 'r' and (c.relnamespace = 'storage'::regnamespace or (c.relnamespace = 'public'::regnamespace and c.relname = any ($1)))
     order by 1`,
    [TABLES],
  );
  const all: Record<string, unknown> = {};
  for (const { name } of tables) {
    all[name] = await readRow(
      admin,
      `select count(*)::int as count, md5(string_agg((to_jsonb(r) - 'updated_at')::text, ' ' order by to_jsonb(r)::text)) as digest from ${name} r`,
    );
  }
  all['hangs'] = (
    await admin.query(`
      select 'key ' || k.conname || pg_get_constraintdef(k.oid) as name from pg_constraint k
      where k.contype = 'f' and k.confrelid in ('auth.users'::regclass, 'auth.identities'::regclass) and k.connamespace <> 'auth'::regnamespace
      union all select pg_get_triggerdef(t.oid) from pg_trigger t
      where t.tgrelid = 'auth.users'::regclass and not t.tgisinternal and t.tgname not like 'latchkey%'
      union all select viewname || definition from pg_views where schemaname = 'public' and definition like '%auth.%'
      union all select policyname || coalesce(qual, '') || coalesce(with_check, '') from pg_policies
      order by 1`)
  ).rows;
  return all;
}

const readTheirs = (admin: pg.Client): Promise<unknown> =>
  readRow(
    admin,
    `select (select md5(string_agg(u::text, ' ' order by u.id)) from auth.users u) as users,
       (select md5(string_agg(i::text, ' ' order by i.id)) from auth.identities i) as identities,
       (select md5(string_agg(s::text, ' ' order by s.id)) from auth.sessions s) as sessions,
       (select md5(string_agg(r::text, ' ' order by r.id)) from auth.refresh_tokens r) as tokens`,
  );

const TABLES = [...readApplication('field').matchAll(/^create table public\.(\w+)/gm)].map(([, name]) => name!);

t.test('there and back', async (t) => {
  t.equal(readApplication('field').match(/^create table /gm)!.length, 20);
  const { at, call, database, move, post, refresh, users } = await openMoving(t, { MAILER_AUTOCONFIRM: 'true' });
  const { admin: sql } = database;
  const admin = asAdmin({ call });
  const on = { ...testEnvironment(database.url, { DB_APP_SCHEMA: 'auth' }), PEER_URL: database.url };
  const run = (environment: Record<string, string>, ...args: string[]) =>
    runCommand(args, environment, join(at, 'empty.env'));
  await sql.query(`create function auth.uid() returns uuid language sql stable
      as $$ select nullif(current_setting('request.jwt.claims', true)::jsonb ->> 'sub', '')::uuid $$;
    create function auth.jwt() returns jsonb language sql stable
      as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
    create function auth.role() returns text language sql stable as $$ select auth.jwt() ->> 'role' $$`);
  await sql.query(readApplication('field'));
  await addAccounts(sql);
  const before = await readAll(sql);
  const theirs = await readTheirs(sql);
  const { rows } = await sql.query('select token from auth.refresh_tokens order by id limit 2');
  const tokens: string[] = rows.map(({ token }) => token);

  await t.test('import, start here, stop there, finish', async (t) => {
    const { report, err } = await move();
    t.match(report.accounts, { imported: ACCOUNTS, refused: 0 });
    t.match(err, /An application has 19 foreign keys and 5 triggers on the accounts in auth: AUTH_DB_APP_SCHEMA=auth/);
    t.same(await readAll(sql), before);
    t.match(await run(on, 'migrate'), { code: 0 });
    t.match((await move()).report.accounts, { imported: 0, refused: 0 });
    t.match(await run(on, 'check', 'app-schema'), { code: 0, out: /The schema is well/ });
    t.same(await readTheirs(sql), theirs, 'the tables of the other server are as they were');
    t.match(await run(testEnvironment(database.url), 'migrate'), { code: 0 });
    t.same(await readTheirs(sql), theirs, 'so each step can be undone');
    t.match(await run(on, 'migrate'), { code: 0 });
    t.match(await run(on, 'users', 'import', '--finish'), { code: 0, out: new RegExp(`${ACCOUNTS} accounts`) });
    t.same(await readAll(sql), before, 'the application notices nothing');
    t.match(await readRow(sql, `select count(*)::int from auth.users where encrypted_password <> ''`), { count: 0 });
    t.match(await move(), { code: 1, err: /finished/ });
  });

  await t.test('the application lives on', async (t) => {
    const signUp = await post('/signup', {
      email: freshEmail(),
      password,
      data: { full_name: 'Ada', user_name: 'ada', locale: 'it' },
    });
    t.equal(signUp.status, 200);
    const { user, access_token: bearer } = signUp.body;
    t.match(await readRow(sql, 'select * from public.profiles where id = $1', [user.id]), {
      username: 'ada',
      full_name: 'Ada',
    });
    t.match(await readRow(sql, 'select * from public.settings where user_id = $1', [user.id]), { locale: 'it' });
    const twin = await post('/signup', { email: freshEmail(), password, data: { user_name: 'ada' } });
    t.match(twin, { status: 500, body: { msg: 'Database error saving new user' } });
    await sql.query(
      `insert into public.subscriptions (id, user_id, status, plan) values ('new', $1, 'active', 'gold')`,
      [user.id],
    );
    t.match((await call('GET', '/user', { bearer })).body, { app_metadata: { plan: 'gold' } });
    const email = freshEmail();
    t.equal((await admin('PUT', `/admin/users/${user.id}`, { email, email_confirm: true })).status, 200);
    t.match(await readRow(sql, 'select email from public.profiles where id = $1', [user.id]), { email });
    t.match(await admin('DELETE', `/admin/users/${user.id}`), {
      status: 500,
      body: { msg: 'Database error deleting user' },
    });
    await sql.query(`delete from public.subscriptions where id = 'new'`);
    const claims = { sub: user.id, role: 'authenticated' };
    await asRequest(sql, 'postgres', claims, () => sql.query('select public.delete_own_account(); commit'));
    t.match(await call('GET', '/user', { bearer }), { status: 403 });
    t.match(await readRow(sql, `select * from public.activity where user_id = $1 and action = 'deleted'`, [user.id]), {
      details: { email },
    });
    await sql.query('delete from public.activity');
    t.same(await readAll(sql), before);
  });

  await t.test('accounts live on', async (t) => {
    const signIn = await post('/token?grant_type=password', { email: 'u1@example.com', password });
    t.equal(signIn.status, 200);
    t.equal((await refresh(tokens[1]!)).status, 200, 'the token that people hold');
  });

  await t.test('and back', async (t) => {
    const file = join(at, 'back.sql');
    t.match(await run(testEnvironment(database.url), 'migrate'), { code: 0 });
    t.match(await users('export', '--to-gotrue', file), { code: 0 });
    await sql.query(readFileSync(file, 'utf8'));
    t.same(await readAll(sql), before);
    t.match(await readRow(sql, `select count(*)::int from auth.users where encrypted_password <> ''`), {
      count: ACCOUNTS,
    });
    t.match(await readRow(sql, 'select count(distinct user_id)::int from auth.sessions'), { count: ACCOUNTS });
    // The end of the move has emptied the tokens of those that have not been here since.
    t.match(await readRow(sql, 'select count(distinct session_id)::int from auth.refresh_tokens where not revoked'), {
      count: 2,
    });
  });
});
