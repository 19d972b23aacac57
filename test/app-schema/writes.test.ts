/** What the application writes into the mirror reaches the account, or is refused (docs/application-database.md). */
import { randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { openAdminServer } from '../support/admin.js';
import { readRow } from '../support/app-schema.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('writes of the application', async (t) => {
  const server = await openAdminServer(t, { DB_APP_SCHEMA: 'auth', DB_APP_SCHEMA_SIGN_INS: 'true' });
  const { admin, audit, call, database, post } = server;
  const sql = database.admin;
  const signUp = async () => (await post('/signup', { email: freshEmail(), password })).body;
  const write = (id: string, assignment: string) => sql.query(`update auth.users set ${assignment} where id = '${id}'`);
  const account = (id: string) => readRow(sql, 'select * from users where id = $1', [id]);

  await t.test('metadata and role', async (t) => {
    const { user, access_token: bearer } = await signUp();
    await write(user.id, `raw_app_meta_data = raw_app_meta_data || '{"plan": "gold"}'`);
    await write(user.id, `raw_user_meta_data = '{"city": "Rome"}', role = 'editor'`);
    const { body } = await call('GET', '/user', { bearer });
    t.match(body, {
      app_metadata: { plan: 'gold', provider: 'email' },
      user_metadata: { city: 'Rome' },
      role: 'editor',
    });
    const entries = (await audit('user_modified')).filter(({ traits }) => traits?.['user_id'] === user.id);
    t.match(entries, [{ log_type: 'database', actor_username: 'postgres' }, { log_type: 'database' }]);
    await t.rejects(write(user.id, `raw_user_meta_data = '[]'`), /write an object/);
    await write(user.id, 'raw_user_meta_data = null');
    t.match(await account(user.id), { user_metadata: {} });
  });

  await t.test('a ban ends the sessions', async (t) => {
    const { user, access_token: bearer, refresh_token } = await signUp();
    await write(user.id, `banned_until = now() + interval '1 hour'`);
    t.match(await call('GET', '/user', { bearer }), { status: 403, body: { error_code: 'user_banned' } });
    t.equal((await post('/token?grant_type=refresh_token', { refresh_token })).status, 400);
    await write(user.id, 'banned_until = null');
    t.equal((await post('/token?grant_type=refresh_token', { refresh_token })).status, 400, 'the session stays ended');
    t.equal((await post('/token?grant_type=password', { email: user.email, password })).status, 200);
  });

  await t.test('a confirmation', async (t) => {
    const email = freshEmail();
    const { body } = await admin('POST', '/admin/users', { email, phone: freshPhone(), password });
    t.match(await post('/token?grant_type=password', { email, password }), {
      body: { error_code: 'email_not_confirmed' },
    });
    await write(body.id, 'email_confirmed_at = now(), phone_confirmed_at = now()');
    t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
    t.match(await account(body.id), { vouched_email: email, phone_confirmed_at: Date });
    t.type((await readRow(sql, 'select confirmed_at from auth.users where id = $1', [body.id])).confirmed_at, Date);
  });

  await t.test('everything else is refused', async (t) => {
    const { user } = await signUp();
    const refused = [
      `email = 'other@example.com'`,
      `phone = '15550000000'`,
      `encrypted_password = '${bcrypt.hashSync('another one', 4)}'`,
      `recovery_token = 'mine'`,
      'is_anonymous = true',
      'is_sso_user = true',
      'deleted_at = now()',
      `created_at = '2001-01-01'`,
      `last_sign_in_at = '2001-01-01'`,
      `aud = 'others'`,
      'confirmation_sent_at = now()',
      'recovery_sent_at = now()',
      'email_change_sent_at = now()',
      'phone_change_sent_at = now()',
      'reauthentication_sent_at = now()',
      'email_change_confirm_status = 1',
      'is_super_admin = true',
      'instance_id = null',
    ];
    for (const assignment of refused) {
      await t.rejects(write(user.id, assignment), { code: 'LKM02', message: /use PUT \/admin\/users/ }, assignment);
    }
    await t.rejects(write(user.id, 'id = gen_random_uuid()'));
    const insert = (text: string) => sql.query(`insert into auth.${text}`);
    await t.rejects(insert(`users (id, email) values (gen_random_uuid(), 'x@example.com')`), /POST \/admin\/users/);
    await t.rejects(
      insert(`identities (user_id, provider, provider_id, identity_data) values ('${user.id}', 'github', '1', '{}')`),
      { code: 'LKM02' },
    );
    await t.rejects(sql.query(`update auth.identities set provider_id = 'x' where user_id = '${user.id}'`), {
      code: 'LKM02',
    });
    await t.rejects(sql.query(`delete from auth.identities where user_id = '${user.id}'`), { code: 'LKM02' });
    await t.rejects(sql.query('truncate auth.users cascade'), { code: 'LKM02' });
    await t.rejects(sql.query('truncate auth.identities'), { code: 'LKM02' });
    for (const date of ['infinity', '-infinity', '10000-01-01', '0044-03-15 BC']) {
      await t.rejects(write(user.id, `banned_until = '${date}'`), { code: 'LKM02' }, 'no date of RFC 3339');
      await t.rejects(write(user.id, `email_confirmed_at = '${date}'`), { code: 'LKM02' });
    }
    t.equal((await post('/token?grant_type=password', { email: user.email, password })).status, 200);
  });

  await t.test('a deletion, also of many, and through a foreign key', async (t) => {
    const users = await Promise.all(Array.from({ length: 5 }, async () => (await signUp()).user.id));
    await sql.query('delete from auth.users where id = any ($1)', [users.slice(0, 3)]);
    for (const id of users.slice(0, 3)) t.equal(await account(id), undefined);
    t.equal((await audit('user_deleted')).length, 3);
    await sql.query('delete from users where id = $1', [users[3]]);
    t.equal(await readRow(sql, 'select 1 from auth.users where id = $1', [users[3]]), undefined);
    t.ok(await account(users[4]!));
  });

  await t.test('a trigger that changes rows before they are written', async (t) => {
    await sql.query(`
      create function public.mark() returns trigger language plpgsql as $$
      begin
        new.raw_app_meta_data = new.raw_app_meta_data || '{"marked": true}';
        return new;
      end $$;
      create trigger mark before insert or update on auth.users for each row execute function public.mark()`);
    const { user, access_token: bearer } = await signUp();
    t.match((await call('GET', '/user', { bearer })).body, { app_metadata: { marked: true, provider: 'email' } });
    t.equal((await admin('PUT', `/admin/users/${user.id}`, { app_metadata: { marked: false } })).status, 200);
    t.match(await account(user.id), { app_metadata: { marked: true } });
    t.match(await readRow(sql, 'select raw_app_meta_data from auth.users where id = $1', [user.id]), {
      raw_app_meta_data: { marked: true },
    });
    await sql.query('drop function public.mark() cascade');
  });

  await t.test('times of sign-ins, where that is on', async (t) => {
    const { user } = await signUp();
    const time = async () =>
      (await readRow(sql, 'select last_sign_in_at as at from auth.users where id = $1', [user.id])).at;
    const before = await time();
    await post('/token?grant_type=password', { email: user.email, password });
    t.ok((await time()) > before);
    t.same(await time(), (await account(user.id)).last_sign_in_at);
  });
});

t.test('seeds', async (t) => {
  const { call, database, post } = await openAdminServer(t, { DB_APP_SCHEMA: 'auth', DB_APP_SCHEMA_INSERTS: 'true' });
  const sql = database.admin;
  const [id, email] = [randomUUID(), `Seed-${freshEmail()}`];
  const hash = bcrypt.hashSync(password, 4);
  await sql.query(
    `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
       raw_user_meta_data, created_at, updated_at)
     values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', $2, $3, now(),
       '{"provider":"email","providers":["email"]}', '{"full_name":"Ada"}', now(), now())`,
    [id, email, hash],
  );
  await sql.query(
    `insert into auth.identities (id, user_id, identity_data, provider, provider_id)
     values (gen_random_uuid(), $1::text::uuid, jsonb_build_object('sub', $1::text, 'email', $2::text), 'email', $1::text)`,
    [id, email],
  );
  const { status, body } = await post('/token?grant_type=password', { email, password });
  t.equal(status, 200);
  t.match(body.user, { id, user_metadata: { full_name: 'Ada' }, identities: [{ provider: 'email', user_id: id }] });
  t.match(await readRow(sql, 'select * from auth.users where id = $1', [id]), { encrypted_password: '' });
  t.equal((await call('GET', '/user', { bearer: body.access_token })).status, 200);
  const other = sql.query(
    `insert into auth.users (id, email, encrypted_password) values (gen_random_uuid(), $1, 'plain')`,
    [freshEmail()],
  );
  await t.rejects(other, /bcrypt/);
  const endless = `insert into auth.users (id, email, created_at) values (gen_random_uuid(), $1, 'infinity')`;
  await t.rejects(sql.query(endless, [freshEmail()]), { code: 'LKM02' });
  const twice = sql.query('insert into auth.users (id, email) values (gen_random_uuid(), $1)', [email.toUpperCase()]);
  await t.rejects(twice, { code: '23505' });
});
