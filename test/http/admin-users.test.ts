import { randomUUID } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { type AdminServer, adminToken, openAdminServer } from '../support/admin.js';
import { freshEmail, freshPhone, password } from '../support/server.js';
import { t } from '../support/tap.js';

const NIL = '00000000-0000-0000-0000-000000000000';

const signIn = ({ post }: AdminServer, email: string, secret = password) =>
  post('/token?grant_type=password', { email, password: secret });

async function makeUser({ admin }: AdminServer, body: object = {}) {
  const answer = await admin('POST', '/admin/users', { email: freshEmail(), password, email_confirm: true, ...body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as { id: string; email: string; phone: string; [name: string]: unknown };
}

t.test('POST /admin/users: creates an account', async (t) => {
  const server = await openAdminServer(t, { DISABLE_SIGNUP: 'true', MAILER_AUTOCONFIRM: 'false' });
  const { admin, audit, database } = server;

  await t.test('with email, confirmed: signs in at once', async (t) => {
    const email = freshEmail();
    const answer = await admin('POST', '/admin/users', {
      email: email.toUpperCase(),
      password: 'x',
      email_confirm: true,
      user_metadata: { full_name: 'Ann', gone: null },
      app_metadata: { tenant: 'acme' },
      nonce: 'ignored',
    });
    t.equal(answer.status, 200);
    t.match(answer.body, {
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'], tenant: 'acme' },
      user_metadata: { full_name: 'Ann', gone: null, email_verified: true },
      is_anonymous: false,
      identities: [
        {
          provider: 'email',
          id: answer.body.id,
          identity_data: { sub: answer.body.id, email, email_verified: false, phone_verified: false },
        },
      ],
    });
    t.ok(answer.body.email_confirmed_at);
    t.equal(answer.body.confirmed_at, answer.body.email_confirmed_at);
    t.equal((await signIn(server, email, 'x')).status, 200, 'strength is the business of the operator');
    const [entry] = await audit('user_signedup');
    t.match(entry, {
      actor_id: NIL,
      actor_username: 'service_role',
      log_type: 'team',
      traits: { user_id: answer.body.id, user_email: email, user_phone: '', provider: 'email' },
    });
  });

  await t.test('unconfirmed, without a password, by phone, with a role, an audience and an id', async (t) => {
    const id = randomUUID();
    const phone = freshPhone();
    const body = { id, phone: `+${phone}`, email_confirm: true, role: ' editor ', aud: 'other' };
    const answer = await admin('POST', '/admin/users/', body);
    t.match(answer.body, {
      id,
      email: '',
      phone,
      role: 'editor',
      aud: 'other',
      user_metadata: {},
      app_metadata: { provider: 'phone', providers: ['phone'] },
      identities: [{ provider: 'phone', identity_data: { phone } }],
    });
    t.notOk('email_confirmed_at' in answer.body, 'there is no address to confirm');
    t.notOk('confirmed_at' in answer.body);
    const { rows } = await database.admin.query('select password_hash from users where id = $1', [id]);
    t.equal(rows[0].password_hash, null);
    const both = await admin('POST', '/admin/users', { email: freshEmail(), phone: freshPhone(), phone_confirm: true });
    t.same(both.body.app_metadata, { provider: 'email', providers: ['email', 'phone'] });
    t.equal(both.body.identities.length, 2);
    t.ok(both.body.phone_confirmed_at);
    t.notOk('email_confirmed_at' in both.body);
    const plain = await admin('POST', '/admin/users', { email: freshEmail(), app_metadata: { provider: null } });
    t.same(plain.body.app_metadata, { providers: ['email'] }, 'null deletes a member');
    const asked = await admin('POST', '/admin/users', { email: freshEmail() }, { 'x-jwt-aud': 'third' });
    t.equal(asked.body.aud, 'third');
  });

  await t.test('with a hash of another server: signs in, and the hash is renewed', async (t) => {
    const email = freshEmail();
    const password_hash = bcrypt.hashSync(password, 4);
    t.equal((await admin('POST', '/admin/users', { email, password_hash, email_confirm: true })).status, 200);
    t.equal((await signIn(server, email, 'wrong')).status, 400);
    t.equal((await signIn(server, email)).status, 200);
    const { rows } = await database.admin.query('select password_hash from users where email = $1', [email]);
    t.match(rows[0].password_hash, /^\$argon2id\$/);

    const typed = 'Zürich 1234'.normalize('NFD');
    const other = freshEmail();
    const raw = bcrypt.hashSync(typed, 4);
    await admin('POST', '/admin/users', { email: other, password_hash: raw, email_confirm: true });
    t.equal((await signIn(server, other, typed.normalize('NFC'))).status, 400, 'the hash is of the other Unicode form');
    t.equal((await signIn(server, other, typed)).status, 200);
    t.equal((await signIn(server, other, typed.normalize('NFC'))).status, 200, 'renewed in the one form');
  });

  await t.test('API errors, in the order of the checks', async (t) => {
    const taken = await makeUser(server, { phone: freshPhone() });
    const email = freshEmail();
    const invalid = 'validation_failed';
    for (const [name, body, status, code, msg] of [
      ['nothing', { password }, 400, invalid, 'Cannot create a user without either an email or phone'],
      ['a bad email', { email: 'a b@c', phone: 'x' }, 400, invalid, /invalid format$/],
      ['a long email', { email: `${'a'.repeat(251)}@b.co` }, 400, invalid, 'An email address is too long'],
      [
        'a taken email',
        { email: taken.email.toUpperCase(), phone: 'x' },
        422,
        'email_exists',
        /already been registered/,
      ],
      ['a long audience', { email: freshEmail(), aud: 'x'.repeat(256) }, 400, 'bad_json', /aud is not valid/],
      ['a long role', { email: freshEmail(), role: 'x'.repeat(256) }, 400, 'bad_json', /role is not valid/],
      ['a taken email elsewhere', { email: taken.email, aud: 'else' }, 422, 'email_exists', /registered/],
      ['a bad phone', { email, phone: '12-34' }, 400, invalid, 'Invalid phone number format (E.164 required)'],
      [
        'a taken phone',
        { phone: taken.phone, password: '', password_hash: 'x' },
        422,
        'phone_exists',
        'Phone number already registered by another user',
      ],
      ['two passwords', { email, password: '', password_hash: 'x' }, 400, invalid, /^Only a password or/],
      ['a long password', { email, password: 'x'.repeat(1025) }, 400, invalid, /cannot be longer than/],
      ['an unusable hash', { email, password_hash: 'md5$abc' }, 400, invalid, /cannot be used/],
      ['an id that is none', { email, id: 'ann' }, 400, invalid, 'ID must conform to the uuid v4 format'],
      ['the nil id', { email, id: NIL }, 400, invalid, 'ID cannot be a nil uuid'],
      ['a taken id', { email, id: taken.id }, 409, 'conflict', /already exists/],
      [
        'a bad ban',
        { email, ban_duration: '1d' },
        400,
        invalid,
        'invalid format for ban duration: time: unknown unit "d" in duration "1d"',
      ],
      ['a wrong type', { email: 1 }, 400, 'bad_json', /^Could not parse request body as JSON: /],
      ['a list as metadata', { email, user_metadata: [] }, 400, 'bad_json', /user_metadata/],
      ['large metadata', { email, app_metadata: { a: 'x'.repeat(17_000) } }, 422, invalid, /would have 2\d{4} bytes/],
    ] as const) {
      const answer = await admin('POST', '/admin/users', body);
      t.equal(answer.status, status, name);
      t.match(answer.body, { code: status, error_code: code, msg }, name);
    }
    const newer = await admin('POST', '/admin/users', {}, { 'x-supabase-api-version': '2024-01-01' });
    t.same(newer.body, { code: invalid, message: 'Cannot create a user without either an email or phone' });
    const { rows } = await database.admin.query('select count(*)::int from users where email = $1', [email]);
    t.equal(rows[0].count, 0, 'no account was created');
  });

  await t.test('fifty at once for one address create one account', async (t) => {
    const email = freshEmail();
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin('POST', '/admin/users', { email })));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    t.equal(answers.filter(({ body }) => body.error_code === 'email_exists').length, 49);
  });

  await t.test('SEC-27: metadata cannot reach a prototype', async (t) => {
    const body = JSON.parse(
      `{"email":"${freshEmail()}","user_metadata":{"__proto__":{"x":1},"constructor":{"a":1}},"app_metadata":{"__proto__":{"y":1}}}`,
    );
    const answer = await admin('POST', '/admin/users', body);
    t.same(Object.keys(answer.body.user_metadata), ['constructor']);
    t.equal(({} as Record<string, unknown>)['x'], undefined);
  });
});

t.test('POST /admin/users/{user_id}: creates the account with that id', async (t) => {
  const { admin } = await openAdminServer(t);
  const id = randomUUID();
  const made = await admin('POST', `/admin/users/${id.toUpperCase()}`, { email: freshEmail(), id });
  t.equal(made.status, 200);
  t.equal(made.body.id, id);
  const again = await admin('POST', `/admin/users/${id}`, { email: freshEmail() });
  t.match(again, { status: 409, body: { code: 409, error_code: 'conflict' } });
  await admin('DELETE', `/admin/users/${id}`, { should_soft_delete: true });
  t.equal((await admin('POST', `/admin/users/${id}`, {})).status, 409, 'a soft-deleted one keeps its id');
  for (const [path, body, status, msg] of [
    ['ann', {}, 404, 'user_id must be an UUID'],
    [NIL, {}, 400, 'ID cannot be a nil uuid'],
    [randomUUID(), { id: randomUUID() }, 400, 'ID in the body must match the user_id in the path'],
    [randomUUID(), {}, 400, 'Cannot create a user without either an email or phone'],
  ] as const) {
    const answer = await admin('POST', `/admin/users/${path}`, body);
    t.match(answer, { status, body: { error_code: 'validation_failed', msg } }, path);
  }
});

t.test('GET /admin/users/{user_id}', async (t) => {
  const server = await openAdminServer(t);
  const user = await makeUser(server);
  const hex = user.id.replaceAll('-', '');
  for (const spelling of [user.id, user.id.toUpperCase(), hex, `{${user.id}}`, `urn:uuid:${user.id}`, `${user.id}/`]) {
    const answer = await server.admin('GET', `/admin/users/${spelling}`, undefined, { 'x-jwt-aud': 'whatever' });
    t.equal(answer.status, 200, spelling);
    t.same(answer.body, user);
  }
  for (const spelling of ['1', 'me', `${user.id}0`, `(${user.id})`, `${user.id}%20`, "'or'1"]) {
    const answer = await server.admin('GET', `/admin/users/${spelling}`);
    t.match(answer, { status: 404, body: { error_code: 'validation_failed', msg: 'user_id must be an UUID' } });
  }
  const unknown = await server.admin('GET', `/admin/users/${randomUUID()}`);
  t.match(unknown, { status: 404, body: { error_code: 'user_not_found', msg: 'User not found' } });
});

t.test('PUT /admin/users/{user_id}', async (t) => {
  const server = await openAdminServer(t, { MAILER_AUTOCONFIRM: 'false', PASSWORD_MIN_LENGTH: '8' });
  const { admin, audit, call, post, database } = server;
  const put = (id: string, body: object) => admin('PUT', `/admin/users/${id}`, body);

  await t.test('merges metadata, sets the role, keeps the rest', async (t) => {
    const user = await makeUser(server, { user_metadata: { a: 1, b: { c: 1 }, d: 4 }, app_metadata: { x: 1 } });
    const answer = await put(user.id, {
      role: 'editor',
      user_metadata: { a: null, b: { e: 2 } },
      app_metadata: { y: 2 },
      id: randomUUID(),
      aud: 'other',
      password_hash: 'x',
      email: '',
    });
    t.equal(answer.status, 200);
    t.match(answer.body, { id: user.id, aud: 'authenticated', role: 'editor', email: user.email });
    t.same(answer.body.user_metadata, { b: { e: 2 }, d: 4, email_verified: true });
    t.same(answer.body.app_metadata, { provider: 'email', providers: ['email'], x: 1, y: 2 });
    t.same((await put(user.id, { role: ' ', user_metadata: {}, app_metadata: null })).body.role, 'editor');
    t.equal((await signIn(server, user.email)).status, 200, 'the password still works');
    const entry = (await audit('user_modified')).at(0);
    t.match(entry, {
      actor_id: NIL,
      actor_username: 'service_role',
      log_type: 'user',
      traits: { user_id: user.id, user_email: user.email, user_phone: '' },
    });
  });

  await t.test('confirms an address and revokes the pending codes', async (t) => {
    const user = await makeUser(server, { email_confirm: false, phone: freshPhone() });
    await post('/resend', { type: 'signup', email: user.email });
    const tokens = () => database.admin.query('select 1 from one_time_tokens where user_id = $1', [user.id]);
    t.equal((await tokens()).rowCount, 1);
    t.notOk('confirmed_at' in (await put(user.id, { email_confirm: false, phone_confirm: false })).body);
    t.equal((await tokens()).rowCount, 1, 'false does nothing');
    const answer = await put(user.id, { email_confirm: true, phone_confirm: true });
    t.ok(answer.body.email_confirmed_at && answer.body.phone_confirmed_at && answer.body.confirmed_at);
    t.equal(answer.body.user_metadata.email_verified, true);
    t.equal((await tokens()).rowCount, 0);
  });

  await t.test('replaces the addresses at once, with their identities', async (t) => {
    const user = await makeUser(server);
    const [email, phone] = [freshEmail(), freshPhone()];
    const answer = await put(user.id, { email: email.toUpperCase(), phone: `+${phone}` });
    t.match(answer.body, { email, phone, email_confirmed_at: user['email_confirmed_at'] });
    t.same(answer.body.app_metadata.providers, ['email'], 'as in supabase/auth');
    const data = (provider: string, from = answer) =>
      from.body.identities.find((identity: { provider: string }) => identity.provider === provider).identity_data;
    t.match(data('email'), { email, email_verified: false });
    t.match(data('phone'), { phone, phone_verified: false });
    const confirmed = await put(user.id, { email, email_confirm: true });
    t.equal(data('email', confirmed).email_verified, true);
    t.equal(confirmed.body.identities.length, 2);
    t.equal((await signIn(server, email)).status, 200);
    t.equal((await signIn(server, user.email)).status, 400);
    const other = await makeUser(server, { phone: freshPhone() });
    t.match(await put(other.id, { email }), { status: 422, body: { error_code: 'email_exists' } });
    t.match(await put(other.id, { phone }), { status: 422, body: { error_code: 'phone_exists' } });
    t.equal((await put(other.id, { email: other.email, phone: other.phone })).status, 200, 'its own are no conflict');
    const race = freshEmail();
    const all = await Promise.all([user, other].map(({ id }) => put(id, { email: race })));
    t.same(all.map(({ status }) => status).sort(), [200, 422], 'two reach for one at once');
  });

  await t.test('an anonymous user gets a confirmed address', async (t) => {
    const { rows } = await database.admin.query(
      "insert into users (id, aud, is_anonymous) values (gen_random_uuid(), 'authenticated', true) returning id",
    );
    const { id } = rows[0];
    t.equal((await put(id, { email: freshEmail() })).body.is_anonymous, true);
    const answer = await put(id, { email: freshEmail(), email_confirm: true });
    t.equal(answer.body.is_anonymous, false);
  });

  await t.test('a password is checked, and every session ends (SEC-55)', async (t) => {
    const user = await makeUser(server);
    const { body: session } = await signIn(server, user.email);
    const weak = await put(user.id, { password: 'short', role: 'x' });
    t.match(weak, { status: 422, body: { error_code: 'weak_password', weak_password: { reasons: ['length'] } } });
    t.equal((await put(user.id, { password: '' })).status, 422);
    t.match((await put(user.id, { password: 'x'.repeat(1025) })).body.msg, /cannot be longer/);
    t.equal((await admin('GET', `/admin/users/${user.id}`)).body.role, 'authenticated', 'nothing of it happened');
    t.equal((await put(user.id, { password: 'another passphrase' })).status, 200);
    const refresh = await post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    t.match(refresh, { status: 400, body: { error_code: 'refresh_token_not_found' } });
    t.equal((await signIn(server, user.email)).status, 400);
    t.equal((await signIn(server, user.email, 'another passphrase')).status, 200);
  });

  await t.test('a ban applies to every endpoint and ends the sessions (SEC-53, SEC-55)', async (t) => {
    const user = await makeUser(server);
    const { body: session } = await signIn(server, user.email);
    const refresh = () => post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    const banned = await put(user.id, { ban_duration: '1h30m' });
    const seconds = (Date.parse(banned.body.banned_until) - Date.now()) / 1000;
    t.ok(seconds > 5300 && seconds <= 5401, `${seconds} s`);
    t.match(await signIn(server, user.email), { status: 400, body: { error_code: 'user_banned' } });
    t.match(await refresh(), { status: 400, body: { msg: 'Invalid Refresh Token: User Banned' } });
    t.match(await call('GET', '/user', { bearer: session.access_token }), { status: 403 });
    t.equal((await put(user.id, { ban_duration: '' })).body.banned_until, banned.body.banned_until, 'empty: no change');
    for (const none of ['none', '0', '0s', '-0h']) {
      await put(user.id, { ban_duration: '2h' });
      t.notOk('banned_until' in (await put(user.id, { ban_duration: none })).body, none);
    }
    t.match(await refresh(), { status: 400 }, 'the sessions from before stay ended');
    t.equal((await signIn(server, user.email)).status, 200);
    const past = await put(user.id, { ban_duration: '-1h' });
    t.ok(Date.parse(past.body.banned_until) < Date.now());
    t.equal((await signIn(server, user.email)).status, 200, 'one that is over is none');
    t.equal((await admin('POST', '/admin/users', { email: freshEmail(), ban_duration: 'none' })).status, 200);
    const born = await makeUser(server, { ban_duration: '24h' });
    t.match(await signIn(server, born.email), { status: 400, body: { error_code: 'user_banned' } });
  });

  await t.test('API errors', async (t) => {
    const user = await makeUser(server);
    for (const [body, code] of [
      [{ email: 'x' }, 'validation_failed'],
      [{ phone: 'x' }, 'validation_failed'],
      [{ ban_duration: 'abc' }, 'validation_failed'],
      [{ email_confirm: 'yes' }, 'bad_json'],
      [{ user_metadata: 'x' }, 'bad_json'],
    ] as const) {
      t.match(await put(user.id, body), { status: 400, body: { error_code: code } }, JSON.stringify(body));
    }
    t.match(await put(randomUUID(), {}), { status: 404, body: { error_code: 'user_not_found' } });
    t.match(await put('x', {}), { status: 404, body: { error_code: 'validation_failed' } });
  });
});

t.test('DELETE /admin/users/{user_id}', async (t) => {
  const server = await openAdminServer(t);
  const { admin, audit, call, post, database } = server;
  const remove = (id: string, body?: object) => admin('DELETE', `/admin/users/${id}`, body);
  const everything = async () => {
    const tables = ['users', 'identities', 'sessions', 'one_time_tokens', 'flow_states', 'outbox'];
    const rows = [];
    for (const name of tables)
      rows.push(...(await database.admin.query(`select to_json(x)::text from ${name} x`)).rows);
    return rows.map(({ to_json }) => to_json).join('\n');
  };

  await t.test('hard: every row is deleted', async (t) => {
    const user = await makeUser(server);
    const { body: session } = await signIn(server, user.email);
    const answer = await remove(user.id);
    t.same([answer.status, answer.body], [200, {}]);
    t.notMatch(await everything(), user.id);
    t.match(await remove(user.id), { status: 404, body: { error_code: 'user_not_found' } });
    t.match(await call('GET', '/user', { bearer: session.access_token }), { status: 403 });
    const [entry] = await audit('user_deleted');
    t.match(entry, { actor_id: NIL, log_type: 'team', traits: { user_id: user.id, user_email: user.email } });
  });

  await t.test('soft: personal data is erased, and the addresses can be used again', async (t) => {
    const user = await makeUser(server, {
      phone: freshPhone(),
      user_metadata: { full_name: 'Ann Readable' },
      app_metadata: { secretive: 1 },
    });
    const { body: session } = await signIn(server, user.email);
    await post('/recover', { email: user.email });
    const answer = await remove(user.id, { should_soft_delete: true });
    t.same([answer.status, answer.body], [200, {}]);
    const dump = await everything();
    for (const trace of [user.email, user.phone, 'Readable', 'secretive']) {
      t.notOk(dump.includes(trace), `no ${trace}`);
    }
    t.equal((await database.admin.query('select from sessions where user_id = $1', [user.id])).rowCount, 0);
    const { body: left } = await admin('GET', `/admin/users/${user.id}`);
    t.ok(left.deleted_at);
    t.match(left, { email: /^[\w-]{43}$/, phone: /^[\w-]{15}$/, user_metadata: {}, app_metadata: {} });
    t.match(left.identities, [{ identity_data: {} }, { identity_data: {} }]);
    t.equal((await remove(user.id, { should_soft_delete: true })).status, 200, 'again is no error');
    t.equal((await audit('user_deleted')).filter(({ traits }) => traits?.['user_id'] === user.id).length, 1);
    t.match(await admin('PUT', `/admin/users/${user.id}`, { email: freshEmail() }), { status: 404 });
    t.match(await signIn(server, user.email), { status: 400, body: { error_code: 'invalid_credentials' } });
    t.match(await call('GET', '/user', { bearer: session.access_token }), { status: 403 });
    t.equal((await admin('POST', '/admin/users', { email: user.email, phone: user.phone })).status, 200);
    t.equal((await remove(user.id)).status, 200, 'and it can be deleted for good');
  });

  await t.test('the request body', async (t) => {
    const user = await makeUser(server);
    t.match(await remove(user.id, { should_soft_delete: 'yes' }), { status: 400, body: { error_code: 'bad_json' } });
    const garbage = await fetch(`${server.url}/admin/users/${user.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${adminToken()}` },
      body: '{',
    });
    t.equal(garbage.status, 400);
    t.equal((await remove(user.id, { should_soft_delete: false })).status, 200);
    t.match(await remove('x'), { status: 404, body: { error_code: 'validation_failed' } });
  });
});

t.test('factors: every list is empty', async (t) => {
  const server = await openAdminServer(t);
  const { id } = await makeUser(server);
  const list = await server.admin('GET', `/admin/users/${id}/factors`);
  t.same([list.status, list.body], [200, []]);
  t.equal((await server.admin('GET', `/admin/users/${randomUUID()}/factors`)).status, 404);
  for (const method of ['PUT', 'DELETE']) {
    const answer = await server.admin(method, `/admin/users/${id}/factors/${randomUUID()}`, {});
    t.match(answer, { status: 404, body: { error_code: 'mfa_factor_not_found', msg: 'Factor not found' } });
    const bad = await server.admin(method, `/admin/users/${id}/factors/x`, {});
    t.match(bad, { status: 404, body: { error_code: 'validation_failed', msg: 'factor_id must be an UUID' } });
  }
});

t.test('SEC-58: the audit log has the id of an administrator whose token has a subject', async (t) => {
  const server = await openAdminServer(t);
  const boss = await makeUser(server, { role: 'service_role' });
  const bearer = adminToken({ sub: boss.id });
  const { body } = await server.call('POST', '/admin/users', { bearer, body: { email: freshEmail() } });
  await server.call('DELETE', `/admin/users/${body.id}`, { bearer });
  const [entry] = await server.audit('user_deleted');
  t.match(entry, { actor_id: boss.id, actor_username: 'service_role' });
});
