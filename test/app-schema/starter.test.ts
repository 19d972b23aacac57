/** The starter schema that applications of supabase/auth copy: profiles, a trigger that fills them, policies. */
import { openAdminServer } from '../support/admin.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = { DB_APP_SCHEMA: 'auth', MAILER_AUTOCONFIRM: 'true' };

const STARTER = `
create table public.profiles (
  id uuid primary key references auth.users on delete cascade,
  email text, full_name text, is_anonymous boolean, updates integer not null default 0
);
create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.raw_user_meta_data ->> 'full_name' = 'refused' then
    raise exception 'No such names here';
  elsif new.raw_user_meta_data ->> 'full_name' = 'teapot' then
    raise exception using errcode = 'PT418', message = 'Short and stout';
  elsif new.raw_user_meta_data ->> 'full_name' = 'broken' then
    perform 1 / 0;
  elsif new.raw_user_meta_data ->> 'full_name' = 'gone' then
    delete from auth.users where id = new.id;
    return new;
  elsif new.raw_user_meta_data ->> 'full_name' = 'tagged' then
    update auth.users set raw_app_meta_data = raw_app_meta_data || '{"plan": "free"}' where id = new.id;
  end if;
  insert into public.profiles (id, email, full_name, is_anonymous)
  values (new.id, new.email, new.raw_user_meta_data ->> 'full_name', new.is_anonymous);
  return new;
end $$;
create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();
create function public.handle_changed_user() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  update public.profiles set email = new.email, full_name = new.raw_user_meta_data ->> 'full_name', updates = updates + 1
  where id = new.id;
  return new;
end $$;
create trigger on_auth_user_updated after update of email, raw_user_meta_data on auth.users
for each row execute function public.handle_changed_user();
`;

t.test('an application in the same database', async (t) => {
  const { admin, call, database, post } = await openAdminServer(t, settings);
  const sql = database.admin;
  await sql.query(STARTER);
  const one = async (text: string, values: unknown[] = []) => (await sql.query(text, values)).rows[0];
  const signUp = (name: string, email = freshEmail()) =>
    post('/signup', { email, password, data: { full_name: name } });

  await t.test('a sign-up makes a profile', async (t) => {
    const email = freshEmail();
    const { status, body } = await signUp('Ada', email);
    t.equal(status, 200);
    t.match(await one('select * from public.profiles where id = $1', [body.user.id]), {
      email,
      full_name: 'Ada',
      updates: 0,
    });
    const row = await one('select * from auth.users where id = $1', [body.user.id]);
    t.match(row, { email, encrypted_password: '', recovery_token: '', role: 'authenticated', aud: 'authenticated' });
    t.match(await one('select * from auth.identities where user_id = $1', [body.user.id]), {
      provider: 'email',
      email,
    });
    t.equal(
      (await call('PUT', '/user', { bearer: body.access_token, body: { data: { full_name: 'Grace' } } })).status,
      200,
    );
    t.match(await one('select * from public.profiles where id = $1', [body.user.id]), {
      full_name: 'Grace',
      updates: 1,
    });
    t.match(await admin('DELETE', `/admin/users/${body.user.id}`), { status: 200, body: {} });
    t.equal(await one('select 1 from public.profiles where id = $1', [body.user.id]), undefined);
    t.equal(await one('select 1 from auth.users where id = $1', [body.user.id]), undefined);
  });

  await t.test('what a trigger raises undoes the sign-up', async (t) => {
    const users = async () => Number((await one('select count(*) from users')).count);
    const before = await users();
    t.match(await signUp('refused'), {
      status: 500,
      body: { msg: 'No such names here', error_code: 'unexpected_failure' },
    });
    t.match(await signUp('teapot'), { status: 418, body: { msg: 'Short and stout' } });
    t.match(await signUp('broken'), { status: 500, body: { msg: 'Database error saving new user' } });
    t.match(await signUp('gone'), { status: 500, body: { msg: 'Database error saving new user' } });
    t.equal(await users(), before);
  });

  await t.test('what the application writes reaches the account', async (t) => {
    const { body } = await signUp('tagged');
    const bearer = body.access_token;
    t.match((await call('GET', '/user', { bearer })).body, { app_metadata: { plan: 'free', provider: 'email' } });
    await sql.query(
      `update auth.users set raw_user_meta_data = raw_user_meta_data || '{"city": "Rome"}' where id = $1`,
      [body.user.id],
    );
    t.match((await call('GET', '/user', { bearer })).body, { user_metadata: { city: 'Rome', full_name: 'tagged' } });
    await t.rejects(
      sql.query(`update auth.users set email = 'x@example.com' where id = $1`, [body.user.id]),
      /PUT \/admin\/users/,
    );
    await t.rejects(
      sql.query(`insert into auth.users (id, email) values (gen_random_uuid(), 'y@example.com')`),
      /DB_APP_SCHEMA_INSERTS/,
    );
    await t.rejects(sql.query('truncate auth.users cascade'), /delete the rows/);
    await sql.query(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [body.user.id]);
    t.equal((await call('GET', '/user', { bearer })).status, 403);
    await sql.query('delete from auth.users where id = $1', [body.user.id]);
    t.equal(await one('select 1 from users where id = $1', [body.user.id]), undefined);
    const { rows } = await sql.query(
      `select payload ->> 'action' as action from audit_log where payload ->> 'log_type' = 'database'`,
    );
    t.ok(rows.length >= 4, JSON.stringify(rows));
  });
});
