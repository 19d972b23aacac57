import { SignJWT } from 'jose';
import { changePhone, testNumbers } from '../support/change-phone.js';
import { freshEmail, freshPhone, JWT_SECRET, openTestServer, password, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const TEST_NUMBER = '15550002222';

async function signUp({ post }: TestServer, data?: object) {
  const { body } = await post('/signup', { email: freshEmail(), password, data });
  return body as { refresh_token: string; access_token: string; user: { id: string; email: string } };
}

const makeToken = (claims: Record<string, unknown>, secret = JWT_SECRET) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));

t.test('GET /user', async (t) => {
  const server = await openTestServer(t);
  const { call } = server;

  await t.test('returns the user object', async (t) => {
    const { access_token, user } = await signUp(server);
    const answer = await call('GET', '/user', { bearer: access_token });
    t.equal(answer.status, 200);
    t.same(answer.body, user);
    t.equal((await call('GET', '/user/', { bearer: access_token })).status, 200, 'with a trailing slash too');
  });

  await t.test('errors of a bad bearer token', async (t) => {
    const { access_token, user } = await signUp(server);
    const missing = await call('GET', '/user');
    t.equal(missing.status, 401);
    t.match(missing.body, { error_code: 'no_authorization', msg: 'This endpoint requires a valid Bearer token' });
    const badJwt = [403, 'bad_jwt'] as const;
    const cases: [string, string, number, string, string | RegExp][] = [
      ['garbage', 'garbage', ...badJwt, /invalid number of segments/],
      ['expired', await makeToken({ sub: user.id, aud: 'authenticated', exp: 1 }), ...badJwt, /token is expired$/],
      ['another secret', await makeToken({ sub: user.id }, 'x'.repeat(32)), ...badJwt, /signature is invalid$/],
      ['no subject', await makeToken({ role: 'authenticated' }), ...badJwt, 'invalid claim: missing sub claim'],
      ['bad subject', await makeToken({ sub: 'ann' }), 400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
      [
        'unknown user',
        await makeToken({ sub: '11111111-1111-4111-8111-111111111111' }),
        403,
        'user_not_found',
        /does not exist/,
      ],
      ['bad session', await makeToken({ sub: user.id, session_id: 'x' }), ...badJwt, /session_id claim must be a UUID/],
      ['no audience', await makeToken({ sub: user.id }), 400, 'validation_failed', /audience/],
      ['wrong audience', await makeToken({ sub: user.id, aud: 'other' }), 400, 'validation_failed', /audience/],
    ];
    for (const [name, bearer, status, errorCode, message] of cases) {
      const answer = await call('GET', '/user', { bearer });
      t.match(answer.body, { code: status, error_code: errorCode, msg: message }, name);
      t.equal(answer.status, status, name);
    }
    const refreshToken = (await signUp(server)).refresh_token;
    t.equal((await call('GET', '/user', { bearer: refreshToken })).body.error_code, 'bad_jwt', 'SEC-50');
    const lower = await call('GET', '/user', { headers: { authorization: `bEaReR ${access_token}` } });
    t.equal(lower.status, 200, 'SEC-52: the scheme in any case');
    const spaces = await call('GET', '/user', { headers: { authorization: `Bearer  ${access_token}` } });
    t.equal(spaces.status, 401, 'SEC-52: exactly one space');
    const audience = await call('GET', '/user', { bearer: access_token, headers: { 'x-jwt-aud': 'other' } });
    t.match(audience.body, { code: 400, msg: "Token audience doesn't match request audience" });
  });
});

t.test('PUT /user', async (t) => {
  const server = await openTestServer(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    SMS_MAX_FREQUENCY: '0',
    ...testNumbers(TEST_NUMBER),
  });
  const { call, post, database } = server;

  await t.test('data merges at the top level; null drops a key', async (t) => {
    const { access_token } = await signUp(server, { plan: 'pro', seats: 3, nested: { a: 1, b: 2 } });
    const answer = await call('PUT', '/user', {
      bearer: access_token,
      body: { data: { seats: null, nested: { a: 9 } } },
    });
    t.equal(answer.status, 200);
    const { plan, seats, nested } = answer.body.user_metadata;
    t.same({ plan, seats, nested }, { plan: 'pro', seats: undefined, nested: { a: 9 } });
  });

  await t.test('a number that cannot be kept is refused by name', async (t) => {
    const { access_token } = await signUp(server, {});
    const headers = { Authorization: `Bearer ${access_token}` };
    const put = (text: string) => fetch(`${server.url}/user`, { method: 'PUT', headers, body: text });
    const answer = await put('{"data":{"account":{"ids":[1,123456789012345678901]}}}');
    t.equal(answer.status, 422);
    t.match(await answer.json(), { error_code: 'validation_failed', msg: /number at data\.account\.ids\[1\]/ });
    t.match(await (await put('{"data":{"largest":9007199254740991}}')).text(), '"largest":9007199254740991');
  });

  await t.test('SEC-27: prototype keys are ordinary data', async (t) => {
    const { access_token, user } = await signUp(server);
    const response = await fetch(`${server.url}/user`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${access_token}` },
      body: '{"data":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}',
    });
    t.equal(response.status, 200);
    t.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    const { rows } = await database.admin.query(`select user_metadata::text as text from users where id = $1`, [
      user.id,
    ]);
    t.match(rows[0].text, /"constructor": \{"prototype": \{"isAdmin": true\}\}/);
    t.notMatch(rows[0].text, /__proto__/, 'the one key that could ever do harm is left out');
    const other = await signUp(server);
    t.notOk('isAdmin' in (other.user as object));
  });

  await t.test('a new password ends the other sessions and keeps this one', async (t) => {
    const here = await signUp(server);
    const { email } = here.user;
    const there = await post('/token?grant_type=password', { email, password });
    const answer = await call('PUT', '/user', { bearer: here.access_token, body: { password: 'a new passphrase' } });
    t.equal(answer.status, 200);
    const refreshHere = await post('/token?grant_type=refresh_token', { refresh_token: here.refresh_token });
    t.equal(refreshHere.status, 200);
    const refreshThere = await post('/token?grant_type=refresh_token', { refresh_token: there.body.refresh_token });
    t.equal(refreshThere.body.error_code, 'refresh_token_not_found');
    t.equal((await post('/token?grant_type=password', { email, password })).status, 400);
    t.equal((await post('/token?grant_type=password', { email, password: 'a new passphrase' })).status, 200);
    const { rows } = await database.admin.query(
      `select payload ->> 'action' as action from audit_log where payload ->> 'actor_id' = $1 and payload ->> 'action' like 'user\\_%' order by 1`,
      [here.user.id],
    );
    t.same(
      rows.map(({ action }) => action),
      ['user_modified', 'user_signedup', 'user_updated_password'],
    );
  });

  await t.test('the first number of an anonymous user takes effect at once with autoconfirm', async (t) => {
    const { access_token } = (await post('/signup', {})).body;
    const phone = freshPhone();
    const answer = await call('PUT', '/user', { bearer: access_token, body: { phone: `+${phone}` } });
    t.equal(answer.status, 200);
    t.match(answer.body, { phone, phone_confirmed_at: String, is_anonymous: false });
    t.match(answer.body.identities, [{ provider: 'phone', identity_data: { phone } }]);
  });

  await t.test('the number of any other user needs its code, also with autoconfirm', async (t) => {
    const { access_token } = await signUp(server);
    const answer = await call('PUT', '/user', { bearer: access_token, body: { phone: TEST_NUMBER } });
    t.match(answer, { status: 200, body: { phone: '', new_phone: TEST_NUMBER } });
    const changed = await changePhone(server, access_token, TEST_NUMBER);
    t.match(changed.body.user, { phone: TEST_NUMBER, phone_confirmed_at: String });
  });

  await t.test('an anonymous user becomes permanent', async (t) => {
    const { body } = await post('/signup', {});
    const email = freshEmail();
    const alone = await call('PUT', '/user', { bearer: body.access_token, body: { password } });
    t.match(alone.body, { code: 422, error_code: 'validation_failed' });
    const answer = await call('PUT', '/user', { bearer: body.access_token, body: { email, password } });
    t.equal(answer.status, 200);
    t.match(answer.body, { id: body.user.id, email, email_confirmed_at: String, is_anonymous: false });
    t.match(answer.body.identities, [{ provider: 'email', email }]);
    t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
  });

  await t.test('a permanent user keeps the old address until the new one is confirmed', async (t) => {
    const { access_token, user } = await signUp(server);
    const next = freshEmail();
    const answer = await call('PUT', '/user', { bearer: access_token, body: { email: next } });
    t.equal(answer.status, 200);
    t.match(answer.body, { email: user.email, new_email: next, email_change_sent_at: String });
    const { rows } = await database.admin.query(
      'select kind, recipient from one_time_tokens where user_id = $1 order by kind',
      [user.id],
    );
    t.same(rows, [
      { kind: 'email_change_current', recipient: user.email },
      { kind: 'email_change_new', recipient: next },
    ]);
    const again = await call('PUT', '/user', { bearer: access_token, body: { email: freshEmail() } });
    t.match(again.body, { code: 429, error_code: 'over_email_send_rate_limit' });
    t.ok(again.headers.get('retry-after'));
  });

  await t.test('API errors', async (t) => {
    const { access_token, user } = await signUp(server);
    const taken = await signUp(server);
    const phone = freshPhone();
    await post('/signup', { phone, password });
    const cases: [string, object, number, string, string | RegExp][] = [
      ['weak', { password: 'x' }, 422, 'weak_password', /at least 6/],
      ['empty password', { password: '' }, 422, 'weak_password', /at least 6/],
      ['same password', { password }, 422, 'same_password', 'New password should be different from the old password.'],
      [
        'taken email',
        { email: taken.user.email },
        422,
        'email_exists',
        'A user with this email address has already been registered',
      ],
      ['taken phone', { phone }, 422, 'phone_exists', 'A user with this phone number has already been registered'],
      ['bad email', { email: 'x' }, 400, 'validation_failed', /invalid format/],
      ['bad phone', { phone: 'x' }, 400, 'validation_failed', /E\.164/],
      ['app_metadata', { app_metadata: {} }, 403, 'not_admin', /app_metadata/],
      ['data a string', { data: 'x' }, 400, 'bad_json', /data/],
    ];
    for (const [name, body, status, errorCode, message] of cases) {
      const answer = await call('PUT', '/user', { bearer: access_token, body });
      t.match(answer.body, { code: status, error_code: errorCode, msg: message }, name);
    }
    const { rows } = await database.admin.query('select email, phone from users where id = $1', [user.id]);
    t.same(rows, [{ email: user.email, phone: null }], 'nothing was half-written');
    const nothing = await call('PUT', '/user', { bearer: access_token, body: {} });
    t.equal(nothing.status, 200, 'an update that changes nothing succeeds');
  });
});

t.test('with reauthentication required, a new password needs the nonce', async (t) => {
  const server = await openTestServer(t, { SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true' });
  const { access_token } = await signUp(server);
  const without = await server.call('PUT', '/user', { bearer: access_token, body: { password: 'a new passphrase' } });
  t.match(without.body, { code: 400, error_code: 'reauthentication_needed' });
  const wrong = await server.call('PUT', '/user', {
    bearer: access_token,
    body: { password: 'a new passphrase', nonce: '123456' },
  });
  t.match(wrong.body, { code: 422, error_code: 'reauthentication_not_valid' });
});
