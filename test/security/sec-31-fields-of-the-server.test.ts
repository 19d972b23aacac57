import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

/** Fields that only the server and its operators set, under our names and those of supabase/auth and its table. */
const hostile = {
  id: '11111111-1111-4111-8111-111111111111',
  user_id: '11111111-1111-4111-8111-111111111111',
  role: 'service_role',
  aud: 'root',
  raw_app_meta_data: { admin: true },
  confirmed_at: '2000-01-01T00:00:00Z',
  email_confirmed_at: '2000-01-01T00:00:00Z',
  phone_confirmed_at: '2000-01-01T00:00:00Z',
  email_confirm: true,
  phone_confirm: true,
  email_verified: true,
  banned_until: '2000-01-01T00:00:00Z',
  ban_duration: 'none',
  is_sso_user: true,
  is_anonymous: true,
  is_super_admin: true,
  password_hash: '$argon2id$v=19$m=256,t=1,p=1$c29tZXNhbHQ$AAAA',
  encrypted_password: 'x',
  identities: [{ provider: 'google', id: '1' }],
  factors: [],
  last_sign_in_at: '2000-01-01T00:00:00Z',
  invited_at: '2000-01-01T00:00:00Z',
  created_at: '2000-01-01T00:00:00Z',
  deleted_at: '2000-01-01T00:00:00Z',
};

/** As a column of the row would have to be if the field had been taken. */
const taken = { id: hostile.id, role: 'service_role', aud: 'root', is_sso_user: true };
const OLD = new Date('2000-01-01T00:00:00Z').getTime();

t.test('SEC-31: no body creates an account with fields of the server', async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;
  const row = async (email: string) => {
    const { rows } = await database.admin.query('select * from users where email = $1', [email]);
    return rows[0];
  };
  const assertOrdinary = (found: Record<string, unknown>, name: string) => {
    for (const [column, value] of Object.entries(taken)) t.not(found[column], value, `${name}: ${column}`);
    t.match(found, { role: 'authenticated', aud: 'authenticated', is_sso_user: false, is_anonymous: false }, name);
    t.match(found, { banned_until: null, deleted_at: null, invited_at: null }, name);
    t.same(found['app_metadata'], { provider: 'email', providers: ['email'] }, name);
    for (const value of Object.values(found)) if (value instanceof Date) t.not(value.getTime(), OLD, name);
  };

  const email = freshEmail();
  const signedUp = await post('/signup', {
    email,
    password,
    ...hostile,
    app_metadata: { admin: true },
    data: { ...hostile, app_metadata: { a: 1 } },
  });
  t.equal(signedUp.status, 200);
  t.notOk(signedUp.body.access_token, 'the address is not confirmed by its own word');
  const made = await row(email);
  assertOrdinary(made, '/signup');
  t.equal(made.email_confirmed_at, null);
  t.equal(made.last_sign_in_at, null);

  const { code } = await flow.nextMail(email);
  const done = await post('/verify', { type: 'signup', email, token: code, ...hostile, app_metadata: { admin: true } });
  t.equal(done.status, 200);
  assertOrdinary(await row(email), '/verify');
  t.match(decodeJwt(done.body.access_token), { role: 'authenticated', aud: 'authenticated', sub: made.id });
  t.same(decodeJwt(done.body.access_token)['app_metadata'], { provider: 'email', providers: ['email'] });

  for (const path of ['/otp', '/magiclink']) {
    const other = freshEmail();
    await post(path, { email: other, ...hostile, app_metadata: { admin: true }, data: hostile });
    const { code } = await flow.nextMail(other);
    const opened = await post('/verify', { type: 'email', email: other, token: code, ...hostile });
    t.equal(opened.status, 200, path);
    assertOrdinary(await row(other), path);
  }
});

t.test('SEC-31: PUT /user changes nothing of them', async (t) => {
  const { call, post, database } = await openTestServer(t);
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const bearer = person.access_token;
  const row = async () => {
    const { rows } = await database.admin.query('select to_jsonb(u) - $1::text as row from users u', ['updated_at']);
    return rows[0].row;
  };
  const before = await row();
  t.equal((await call('PUT', '/user', { bearer, body: hostile })).status, 200);
  t.same(await row(), before, 'all together');
  for (const [field, value] of Object.entries(hostile)) {
    t.equal((await call('PUT', '/user', { bearer, body: { [field]: value } })).status, 200, field);
    t.same(await row(), before, field);
  }
  const refused = await call('PUT', '/user', { bearer, body: { app_metadata: { admin: true }, data: { a: 1 } } });
  t.equal(refused.status, 403, 'app_metadata is an error rather than ignored');
  t.same(await row(), before, 'and nothing beside it is written');
  await call('PUT', '/user', { bearer, body: { data: { ...hostile, sub: randomUUID() } } });
  const { user_metadata: _, ...after } = await row();
  const { user_metadata: __, ...rest } = before;
  t.same(after, rest, 'in data they are data');
});
