import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { freshEmail, freshPhone, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

t.test('autoconfirm on', async (t) => {
  const { post, database } = await openTestServer(t, {
    SMS_AUTOCONFIRM: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });

  await t.test('an email address signs up and is signed in', async (t) => {
    const email = freshEmail();
    const answer = await post('/signup', {
      email: email.toUpperCase(),
      password,
      data: { plan: 'pro', sub: 'forged', gone: null },
    });
    t.equal(answer.status, 200);
    t.match(answer.body, { token_type: 'bearer', expires_in: 3600, access_token: String, refresh_token: String });
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const { user } = answer.body;
    t.match(user, {
      id: uuid,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      email_confirmed_at: rfc3339,
      confirmed_at: rfc3339,
      last_sign_in_at: rfc3339,
      created_at: rfc3339,
      updated_at: rfc3339,
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
    });
    t.same(user.user_metadata, { plan: 'pro', sub: user.id, email, email_verified: true, phone_verified: false });
    t.equal(user.identities.length, 1);
    t.match(user.identities[0], { id: user.id, user_id: user.id, provider: 'email', email, identity_id: uuid });
    t.notOk('confirmation_sent_at' in user);
    t.notOk(JSON.stringify(answer.body).includes('argon2'), 'no hash on the wire');

    const claims = decodeJwt(answer.body.access_token);
    t.match(claims, {
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: Number }],
      session_id: uuid,
      is_anonymous: false,
    });
    t.equal(claims.exp, answer.body.expires_at);
    t.equal(claims.exp! - claims.iat!, 3600);

    const audit = await database.admin.query(
      `select payload from audit_log where payload ->> 'actor_id' = $1 order by payload ->> 'action'`,
      [user.id],
    );
    t.match(
      audit.rows.map((row) => row.payload),
      [
        { action: 'login', log_type: 'account', actor_username: email, traits: { provider: 'email' } },
        { action: 'user_signedup', log_type: 'team', traits: { provider: 'email' } },
      ],
    );
  });

  await t.test('a phone number signs up and is stored without its plus', async (t) => {
    const phone = freshPhone();
    const answer = await post('/signup', { phone: `+${phone}`, password });
    t.equal(answer.status, 200);
    t.match(answer.body.user, { phone, email: '', phone_confirmed_at: rfc3339 });
    t.match(answer.body.user.identities, [{ provider: 'phone', identity_data: { phone } }]);
  });

  await t.test('duplicates with autoconfirm: 422 by email, 400 by phone', async (t) => {
    const email = freshEmail();
    const phone = freshPhone();
    await post('/signup', { email, password });
    await post('/signup', { phone, password });
    const byEmail = await post('/signup', { email, password: 'another password' });
    t.equal(byEmail.status, 422);
    t.same(byEmail.body, { code: 422, error_code: 'user_already_exists', msg: 'User already registered' });
    t.equal(byEmail.headers.get('x-sb-error-code'), 'user_already_exists');
    const byPhone = await post('/signup', { phone, password });
    t.equal(byPhone.status, 400);
    t.same(byPhone.body, { code: 400, error_code: 'user_already_exists', msg: 'User already registered' });
  });

  await t.test('twenty at once for one address create one account and no 5xx', async (t) => {
    const email = freshEmail();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/signup', { email, password })));
    const statuses = answers.map(({ status }) => status).sort();
    t.same(statuses, [200, ...Array.from({ length: 19 }, () => 422)]);
    const { rows } = await database.admin.query('select count(*)::int as n from users where email = $1', [email]);
    t.equal(rows[0].n, 1);
  });

  await t.test('an anonymous user', async (t) => {
    const answer = await post('/signup', { data: { cart: 3 } });
    t.equal(answer.status, 200);
    t.match(answer.body.user, { email: '', phone: '', is_anonymous: true, user_metadata: { cart: 3 } });
    t.same(answer.body.user.app_metadata, {});
    t.same(answer.body.user.identities, []);
    t.match(decodeJwt(answer.body.access_token), { is_anonymous: true, amr: [{ method: 'anonymous' }] });
  });
});

t.test('autoconfirm off', async (t) => {
  const { post, database } = await openTestServer(t, {
    MAILER_AUTOCONFIRM: 'false',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_TEST_OTP: '15555550100:123456',
  });

  await t.test('the account is unconfirmed, and its codes are stored only as hashes', async (t) => {
    const email = freshEmail();
    const answer = await post('/signup', { email, password });
    t.equal(answer.status, 200);
    t.match(answer.body, { id: uuid, email, confirmation_sent_at: rfc3339, created_at: rfc3339, updated_at: rfc3339 });
    t.notOk('access_token' in answer.body);
    t.notOk('email_confirmed_at' in answer.body);
    t.equal(answer.body.user_metadata.email_verified, false);
    const { rows } = await database.admin.query('select * from one_time_tokens where recipient = $1', [email]);
    t.equal(rows.length, 1);
    t.match(rows[0], { kind: 'confirmation', code_hash: /^[0-9a-f]{64}$/, link_hash: /^[0-9a-f]{64}$/ });
  });

  await t.test('a duplicate of a confirmed address gets a fabricated user, a new one each time', async (t) => {
    const email = freshEmail();
    const real = await post('/signup', { email, password });
    await database.admin.query('update users set email_confirmed_at = now() where email = $1', [email]);
    await database.admin.query('delete from rate_counters');
    const first = await post('/signup', { email, password, data: { plan: 'pro' } });
    await database.admin.query('delete from rate_counters');
    const second = await post('/signup', { email, password });
    t.equal(first.status, 200);
    t.match(first.body, { id: uuid, email, role: '', user_metadata: { plan: 'pro' }, confirmation_sent_at: rfc3339 });
    t.same(first.body.identities, []);
    t.not(first.body.id, real.body.id);
    t.not(first.body.id, second.body.id);
    for (const field of ['email_confirmed_at', 'confirmed_at', 'last_sign_in_at', 'recovery_sent_at', 'invited_at']) {
      t.notOk(field in first.body, field);
    }
  });

  await t.test('repeated before the confirmation: 429 within the interval', async (t) => {
    const email = freshEmail();
    await post('/signup', { email, password, data: { plan: 'pro' } });
    const soon = await post('/signup', { email, password: 'another password' });
    t.equal(soon.status, 429);
    t.equal(soon.body.error_code, 'over_email_send_rate_limit');
    t.match(soon.body.msg, /^For security purposes, you can only request this after (8\d\d|900) seconds\.$/);
    t.ok(Number(soon.headers.get('retry-after')) > 800, 'Retry-After');
  });

  await t.test('a phone number is confirmed by its code', async (t) => {
    const phone = '15555550100';
    const answer = await post('/signup', { phone, password });
    t.equal(answer.status, 200);
    t.match(answer.body, { phone, confirmation_sent_at: rfc3339 });
    const { rows } = await database.admin.query('select * from one_time_tokens where recipient = $1', [phone]);
    t.match(rows, [{ kind: 'confirmation', link_hash: null, code_hash: /^[0-9a-f]{64}$/ }]);
  });
});

t.test('repeated after the interval: a new code, the old password and metadata', async (t) => {
  const { post, database } = await openTestServer(t, { MAILER_AUTOCONFIRM: 'false', SMTP_MAX_FREQUENCY: '1' });
  const email = freshEmail();
  const first = await post('/signup', { email, password, data: { plan: 'pro' } });
  const before = await database.admin.query('select * from one_time_tokens where recipient = $1', [email]);
  await pause(1100);
  const later = await post('/signup', { email, password: 'another password', data: { plan: 'no' } });
  t.equal(later.status, 200);
  t.equal(later.body.id, first.body.id, 'the real user');
  t.equal(later.body.user_metadata.plan, 'pro', 'metadata unchanged');
  const after = await database.admin.query('select * from one_time_tokens where recipient = $1', [email]);
  t.equal(after.rows.length, 1);
  t.not(after.rows[0].code_hash, before.rows[0].code_hash, 'the older code is gone');
  await database.admin.query('update users set email_confirmed_at = now() where email = $1', [email]);
  const signIn = await post('/token?grant_type=password', { email, password });
  t.equal(signIn.status, 200, 'the first password is still valid');
});

t.test('autoconfirm turned on later: only the right password confirms the pending account', async (t) => {
  const { post, database } = await openTestServer(t);
  const email = freshEmail();
  await post('/signup', { email, password });
  await database.admin.query('update users set email_confirmed_at = null where email = $1', [email]);
  const attacker = await post('/signup', { email, password: 'guessed wrong' });
  t.equal(attacker.status, 422);
  t.equal(attacker.body.error_code, 'user_already_exists');
  const owner = await post('/signup', { email, password });
  t.equal(owner.status, 200);
  t.match(owner.body, { access_token: String, user: { email_confirmed_at: rfc3339 } });
});

t.test('without a mail server every sign-up succeeds, and no mail is counted', async (t) => {
  const { post, database } = await openTestServer(t, { MAILER_AUTOCONFIRM: 'false', RATE_LIMIT_EMAIL_SENT: '3' });
  for (let person = 0; person < 5; person++) {
    const answer = await post('/signup', { email: freshEmail(), password });
    t.equal(answer.status, 200);
    t.match(answer.body, { confirmation_sent_at: rfc3339 });
  }
  t.equal((await database.admin.query('select 1 from outbox')).rows.length, 0);
});

t.test('API errors, in the order of the checks', async (t) => {
  const { call, post } = await openTestServer(t, {
    PASSWORD_MIN_LENGTH: '8',
    PASSWORD_REQUIRED_CHARACTERS: 'abcdefghijklmnopqrstuvwxyz:0123456789',
  });
  const email = freshEmail();
  const [password, challenge] = ['long1enough', 'a'.repeat(43)];
  const invalid = [400, 'validation_failed'] as const;
  const badJson = [400, 'bad_json'] as const;
  const cases: [string, object, number, string, string | RegExp][] = [
    ['no address', {}, 422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'],
    ['no password', { email }, ...invalid, 'Signup requires a valid password'],
    ['empty password', { email, password: '' }, ...invalid, 'Signup requires a valid password'],
    ['null password', { email, password: null }, ...invalid, 'Signup requires a valid password'],
    ['too long', { email, password: 'x1'.repeat(513) }, ...invalid, /^Password cannot be longer than 1024/],
    ['weak', { email, password: 'short' }, 422, 'weak_password', /at least 8 characters\. Password should contain/],
    ['both', { email, phone: '15555550100', password }, ...invalid, /^Only an email/],
    ['half of PKCE', { email, password, code_challenge: challenge }, ...invalid, /^PKCE flow requires/],
    [
      'short challenge',
      { email, password, code_challenge: 'a', code_challenge_method: 's256' },
      ...invalid,
      /between 43 and 128/,
    ],
    [
      'odd challenge',
      { email, password, code_challenge: `${challenge}+`, code_challenge_method: 's256' },
      ...invalid,
      /alphanumeric/,
    ],
    [
      'odd method',
      { email, password, code_challenge: challenge, code_challenge_method: 'md5' },
      ...invalid,
      'Invalid code_challenge_method',
    ],
    ['phone off', { phone: '15555550100', password }, 400, 'phone_provider_disabled', 'Phone signups are disabled'],
    ['odd channel', { phone: '15555550100', password, channel: 'fax' }, ...invalid, /^Invalid channel/],
    ['bad email', { email: 'ann', password }, ...invalid, 'Unable to validate email address: invalid format'],
    ['email a number', { email: 7, password }, ...badJson, /^Could not parse request body as JSON: /],
    ['data an array', { email, password, data: [1] }, ...badJson, /data/],
    [
      'data too large',
      { email, password, data: { a: 'x'.repeat(17_000) } },
      422,
      'validation_failed',
      /would have 2\d{4} bytes, and at most 12281 are read/,
    ],
  ];
  for (const [name, body, status, errorCode, message] of cases) {
    const answer = await post('/signup', body);
    t.equal(answer.status, status, name);
    t.match(answer.body, { code: status, error_code: errorCode, msg: message }, name);
  }
  const weak = await post('/signup', { email, password: 'short' });
  t.same(weak.body.weak_password, { reasons: ['length', 'characters'] });
  const version = { 'x-supabase-api-version': '2024-01-01' };
  const modern = await call('POST', '/signup', { body: { email, password: 'short1' }, headers: version });
  t.match(modern.body, { code: 'weak_password', message: String, weak_password: { reasons: ['length'] } });
  t.equal(modern.headers.get('x-supabase-api-version'), '2024-01-01');
  t.notOk('msg' in modern.body);
});

t.test('sign-ups disabled', async (t) => {
  const { post } = await openTestServer(t, {
    DISABLE_SIGNUP: 'true',
    EXTERNAL_EMAIL_ENABLED: 'false',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  for (const body of [{ email: freshEmail(), password }, {}]) {
    const answer = await post('/signup', body);
    t.equal(answer.status, 422);
    t.match(answer.body, { error_code: 'signup_disabled', msg: 'Signups not allowed for this instance' });
  }
});
