import { freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const grant = '/token?grant_type=password';

t.test('the password grant', async (t) => {
  const { call, post, database } = await openTestServer(t, {
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
    JWT_AUDIENCES: 'other',
  });
  const email = freshEmail();
  const phone = freshPhone();
  const signUp = await post('/signup', { email, password });
  await post('/signup', { phone, password });

  await t.test('by email, in any case, and by phone in any spelling', async (t) => {
    const byEmail = await post(grant, { email: email.toUpperCase(), password });
    t.equal(byEmail.status, 200);
    t.match(byEmail.body, { access_token: String, refresh_token: String, token_type: 'bearer', expires_in: 3600 });
    t.equal(byEmail.body.weak_password, null);
    t.notOk('type' in byEmail.body, 'type is for email verification only');
    t.equal(byEmail.body.user.id, signUp.body.user.id);
    const byPhone = await post(grant, { phone: `+${phone.slice(0, 4)} ${phone.slice(4)}`, password });
    t.equal(byPhone.status, 200);
    t.equal(byPhone.body.user.phone, phone);
  });

  await t.test('SEC-46: passwords are used byte for byte', async (t) => {
    for (const wrong of [`${password} `, ` ${password}`, password.toUpperCase(), password.slice(0, -1), '']) {
      const answer = await post(grant, { email, password: wrong });
      t.equal(answer.status, 400, JSON.stringify(wrong));
      t.equal(answer.body.error_code, 'invalid_credentials');
    }
    const long = 'x'.repeat(72);
    const owner = freshEmail();
    await post('/signup', { email: owner, password: `${long}a` });
    t.equal((await post(grant, { email: owner, password: `${long}b` })).status, 400, 'byte 73 counts');
    t.equal((await post(grant, { email: owner, password: `${long}a` })).status, 200);
    t.equal((await post(grant, { email: owner, password: 'x'.repeat(5000) })).status, 400);
  });

  await t.test('the state of an account shows only after the right password', async (t) => {
    const states: [string, string, string, string][] = [
      ['banned', `banned_until = now() + interval '1 hour'`, 'user_banned', 'User is banned'],
      ['unconfirmed', 'email_confirmed_at = null', 'email_not_confirmed', 'Email not confirmed'],
      ['deleted', 'deleted_at = now()', 'invalid_credentials', 'Invalid login credentials'],
      ['without password', 'password_hash = null', 'invalid_credentials', 'Invalid login credentials'],
      ['ban over', `banned_until = now() - interval '1 second'`, '', ''],
    ];
    for (const [name, change, errorCode, message] of states) {
      const address = freshEmail();
      await post('/signup', { email: address, password });
      await database.admin.query(`update users set ${change} where email = $1`, [address]);
      const wrong = await post(grant, { email: address, password: 'wrong password' });
      t.match(wrong.body, { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' }, name);
      const right = await post(grant, { email: address, password });
      if (errorCode === '') t.equal(right.status, 200, name);
      else t.match(right.body, { code: 400, error_code: errorCode, msg: message }, name);
    }
  });

  await t.test('an imported bcrypt hash signs in once and is renewed', async (t) => {
    const address = freshEmail();
    await post('/signup', { email: address, password });
    // bcrypt, cost 4, of "correct horse battery"
    const { hash } = await import('bcryptjs');
    await database.admin.query('update users set password_hash = $2 where email = $1', [
      address,
      await hash(password, 4),
    ]);
    t.equal((await post(grant, { email: address, password })).status, 200);
    const { rows } = await database.admin.query('select password_hash from users where email = $1', [address]);
    t.match(rows[0].password_hash, /^\$argon2id\$/);
    t.equal((await post(grant, { email: address, password })).status, 200, 'and again with the new one');
  });

  await t.test('a user is looked up within one audience', async (t) => {
    const other = await call('POST', grant, { body: { email, password }, headers: { 'x-jwt-aud': 'other' } });
    t.equal(other.body.error_code, 'invalid_credentials');
  });

  await t.test('API errors', async (t) => {
    const cases: [string, string, unknown, number, string, string | RegExp][] = [
      ['both', grant, { email, phone, password }, 400, 'validation_failed', /^Only an email address or phone number/],
      ['neither', grant, { password }, 400, 'validation_failed', 'missing email or phone'],
      ['unknown', grant, { email: freshEmail(), password }, 400, 'invalid_credentials', 'Invalid login credentials'],
      ['no grant', '/token', { email, password }, 400, 'invalid_credentials', 'unsupported_grant_type'],
      ['odd grant', '/token?grant_type=client_credentials', {}, 400, 'invalid_credentials', 'unsupported_grant_type'],
      [
        'a grant named like an object member',
        '/token?grant_type=constructor',
        {},
        400,
        'invalid_credentials',
        'unsupported_grant_type',
      ],
      ['web3', '/token?grant_type=web3', {}, 422, 'web3_provider_disabled', 'Web3 provider is disabled'],
      ['SAML', '/sso', { domain: 'example.com' }, 404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
      ['password a number', grant, { email, password: 1 }, 400, 'bad_json', /password/],
    ];
    for (const [name, path, body, status, errorCode, message] of cases) {
      const answer = await post(path, body);
      t.match(answer.body, { code: status, error_code: errorCode, msg: message }, name);
    }
  });
});

t.test('a weak password still signs in, and the answer says so', async (t) => {
  const { post, database } = await openTestServer(t);
  const email = freshEmail();
  await post('/signup', { email, password: 'sixsix' });
  const strict = await openTestServer(t, { PASSWORD_MIN_LENGTH: '12', DB_DATABASE_URL: database.url });
  const answer = await strict.post(grant, { email, password: 'sixsix' });
  t.equal(answer.status, 200);
  t.same(answer.body.weak_password, { message: 'Password should be at least 12 characters.', reasons: ['length'] });
});

t.test('disabled channels', async (t) => {
  const { post } = await openTestServer(t, { EXTERNAL_EMAIL_ENABLED: 'false' });
  t.match((await post(grant, { email: freshEmail(), password })).body, {
    code: 422,
    error_code: 'email_provider_disabled',
  });
  t.match((await post(grant, { phone: freshPhone(), password })).body, {
    code: 422,
    error_code: 'phone_provider_disabled',
  });
});
