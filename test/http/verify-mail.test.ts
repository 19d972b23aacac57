import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import t from 'tap';
import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, JWT_SECRET } from '../support/server.js';

const password = 'correct horse battery';
const target = 'https://app.example.com/welcome';

const adminToken = () =>
  signAdminToken(
    { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: null },
    JWT_SECRET,
    '',
    Math.floor(Date.now() / 1000),
  );

const isSignedIn = async ({ call }: MailFlow, accessToken: string, email: string) => {
  const { status, body } = await call('GET', '/user', { bearer: accessToken });
  return status === 200 && body.email === email;
};

t.test('a sign-up is confirmed', async (t) => {
  const flow = await openMailFlow(t);
  const { call } = flow;

  await t.test('by the link: 303 to the target, tokens in the fragment, once', async (t) => {
    const email = freshEmail();
    await call('POST', `/signup?redirect_to=${encodeURIComponent(target)}`, { body: { email, password } });
    const mail = await flow.nextMail(email);
    t.equal(mail.subject, 'Confirm Your Signup');
    t.equal(mail.link?.origin, 'http://localhost:9999', 'API_EXTERNAL_URL');
    t.match(Object.fromEntries(mail.link!.searchParams), {
      type: 'signup',
      token: /^[0-9a-f]{56}$/,
      redirect_to: target,
    });

    const followed = await flow.follow(mail.link!);
    t.equal(followed.status, 303);
    t.equal(followed.location!.href.split('#')[0], target);
    t.same(
      [...followed.fragment.keys()],
      ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'token_type', 'type'],
    );
    t.equal(followed.fragment.get('type'), 'signup');
    t.ok(await isSignedIn(flow, followed.fragment.get('access_token')!, email));
    t.match(decodeJwt(followed.fragment.get('access_token')!), { amr: [{ method: 'otp' }] });

    const again = await flow.follow(mail.link!);
    t.equal(again.status, 303);
    t.same(Object.fromEntries(again.fragment), {
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
    });
    const { body } = await call('POST', '/token?grant_type=password', { body: { email, password } });
    t.equal(body.user.user_metadata.email_verified, true);
    t.equal(body.user.identities[0].identity_data.email_verified, true);
  });

  await t.test('by the code, and by the token hash, with POST; the answer has a type', async (t) => {
    for (const [type, pick] of [
      ['signup', 'code'],
      ['email', 'code'],
      ['signup', 'token_hash'],
      ['signup', 'lone token'],
    ] as const) {
      const email = freshEmail();
      await call('POST', '/signup', { body: { email, password } });
      const { code, link } = await flow.nextMail(email);
      const linkToken = link!.searchParams.get('token');
      const body =
        pick === 'code'
          ? { type, email, token: code }
          : pick === 'token_hash'
            ? { type, token_hash: linkToken }
            : { type, token: linkToken };
      const verified = await call('POST', '/verify', { body });
      t.equal(verified.status, 200, `${type} by ${pick}`);
      t.match(verified.body, {
        access_token: String,
        refresh_token: String,
        token_type: 'bearer',
        type: 'signup',
        user: { email },
      });
      const again = await call('POST', '/verify', { body });
      t.match(again.body, { code: 403, error_code: 'otp_expired' }, 'once');
    }
  });

  await t.test('delivery.md 1.3: refusals of POST /verify, and nothing is used up by them', async (t) => {
    const email = freshEmail();
    await call('POST', '/signup', { body: { email, password } });
    const { code, link } = await flow.nextMail(email);
    const token_hash = link!.searchParams.get('token');
    const wrong = code === '000000' ? '000001' : '000000';
    const cases: [string, unknown, number, string, string][] = [
      ['no type', { email, token: code }, 400, 'validation_failed', 'Verify requires a verification type'],
      [
        'no token',
        { type: 'signup', email },
        400,
        'validation_failed',
        'Verify requires either a token or a token hash',
      ],
      [
        'both tokens',
        { type: 'signup', token: code, token_hash },
        400,
        'validation_failed',
        'Verify requires either a token or a token hash',
      ],
      [
        'bad phone',
        { type: 'sms', phone: 'x', token: code },
        400,
        'validation_failed',
        'Invalid phone number format (E.164 required)',
      ],
      ['bad email', { type: 'signup', email: 'x', token: code }, 422, 'validation_failed', 'Invalid email format'],
      [
        'lone code',
        { type: 'signup', token: code },
        400,
        'validation_failed',
        'Only an email address or phone number should be provided on verify',
      ],
      [
        'two contacts',
        { type: 'signup', token: code, email, phone: '15555550100' },
        400,
        'validation_failed',
        'Only an email address or phone number should be provided on verify',
      ],
      [
        'hash and email',
        { type: 'signup', token_hash, email },
        400,
        'validation_failed',
        'Only the token_hash and type should be provided',
      ],
      [
        'hash of a phone type',
        { type: 'sms', token_hash },
        400,
        'validation_failed',
        'Invalid email verification type',
      ],
      ['unknown type', { type: 'magic', email, token: code }, 403, 'otp_expired', 'Token has expired or is invalid'],
      ['wrong type', { type: 'recovery', email, token: code }, 403, 'otp_expired', 'Token has expired or is invalid'],
      ['wrong code', { type: 'signup', email, token: wrong }, 403, 'otp_expired', 'Token has expired or is invalid'],
      [
        'wrong address',
        { type: 'signup', email: freshEmail(), token: code },
        403,
        'otp_expired',
        'Token has expired or is invalid',
      ],
      [
        'unknown hash',
        { type: 'signup', token_hash: 'a'.repeat(56) },
        403,
        'otp_expired',
        'Email link is invalid or has expired',
      ],
      [
        'hash of another type',
        { type: 'recovery', token_hash },
        403,
        'otp_expired',
        'Email link is invalid or has expired',
      ],
    ];
    for (const [name, body, status, error_code, msg] of cases) {
      const answer = await call('POST', '/verify', { body });
      t.same(answer.body, { code: status, error_code, msg }, name);
    }
    t.equal((await call('POST', '/verify', { body: { type: 'signup', email, token: code } })).status, 200);
    t.match((await call('GET', '/verify?token=x')).body, { code: 400, msg: 'Verify requires a verification type' });
    t.match((await call('GET', '/verify?type=signup')).body, {
      code: 400,
      msg: 'Verify requires a token or a token hash',
    });
  });
});

t.test('sign-in by mail', async (t) => {
  const flow = await openMailFlow(t);
  const { call, database } = flow;

  await t.test('decisions.md 4: an unknown address gets its account when the code comes back', async (t) => {
    for (const [path, type] of [
      ['/otp', 'email'],
      ['/magiclink', 'signup'],
    ] as const) {
      const email = freshEmail();
      const sent = await call('POST', path, { body: { email, data: { plan: 'pro' } } });
      t.same([sent.status, sent.body], [200, {}]);
      const none = await database.admin.query('select 1 from users where email = $1', [email]);
      t.equal(none.rows.length, 0, 'no account yet');
      const { code } = await flow.nextMail(email);
      const verified = await call('POST', '/verify', { body: { type, email, token: code } });
      t.equal(verified.status, 200, path);
      t.match(verified.body, {
        type: 'signup',
        user: { email, email_confirmed_at: String, role: 'authenticated', aud: 'authenticated' },
      });
      t.match(verified.body.user.user_metadata, {
        plan: 'pro',
        email,
        email_verified: true,
        sub: verified.body.user.id,
      });
      t.match(verified.body.user.identities, [{ provider: 'email', email, user_id: verified.body.user.id }]);
      const audit = await database.admin.query(`select payload from audit_log where payload ->> 'actor_id' = $1`, [
        verified.body.user.id,
      ]);
      t.match(audit.rows, [{ payload: { action: 'user_signedup', actor_username: email } }]);
    }
  });

  await t.test('a known one gets a magic link', async (t) => {
    const email = freshEmail();
    await call('POST', '/signup', { body: { email, password } });
    await flow.follow((await flow.nextMail(email)).link!);
    await call('POST', '/otp', { body: { email, create_user: false } });
    const mail = await flow.nextMail(email);
    t.equal(mail.subject, 'Your Magic Link');
    t.equal(mail.link?.searchParams.get('type'), 'magiclink');
    const followed = await flow.follow(mail.link!);
    t.equal(followed.fragment.get('type'), 'magiclink');
    t.ok(await isSignedIn(flow, followed.fragment.get('access_token')!, email));
    t.equal(followed.location!.href.split('#')[0], 'http://localhost:3000/'.replace(/\/$/, '/'), 'SITE_URL');
  });

  await t.test(
    'decisions.md 4: an account made meanwhile is signed in to, and loses the password nobody proved',
    async (t) => {
      const email = freshEmail();
      await call('POST', '/otp', { body: { email } });
      const { code } = await flow.nextMail(email);
      await call('POST', '/signup', { body: { email, password: 'attackers password' } });
      const verified = await call('POST', '/verify', { body: { type: 'email', email, token: code } });
      t.equal(verified.status, 200);
      const attack = await call('POST', '/token?grant_type=password', {
        body: { email, password: 'attackers password' },
      });
      t.equal(attack.body.error_code, 'invalid_credentials');
    },
  );

  await t.test('refusals', async (t) => {
    const cases: [string, string, unknown, number, string, string | RegExp][] = [
      [
        'both',
        '/otp',
        { email: 'a@b.co', phone: '15555550100' },
        400,
        'validation_failed',
        'Only an email address or phone number should be provided',
      ],
      [
        'channel',
        '/otp',
        { email: 'a@b.co', channel: 'sms' },
        400,
        'validation_failed',
        'Channel should only be specified with Phone OTP',
      ],
      ['neither', '/otp', {}, 400, 'validation_failed', 'One of email or phone must be set'],
      [
        'unknown, no sign-up',
        '/otp',
        { email: freshEmail(), create_user: false },
        422,
        'otp_disabled',
        'Signups not allowed for otp',
      ],
      [
        'malformed, no sign-up',
        '/otp',
        { email: 'x', create_user: false },
        422,
        'otp_disabled',
        'Signups not allowed for otp',
      ],
      [
        'half of PKCE',
        '/otp',
        { email: 'a@b.co', code_challenge: 'a'.repeat(43) },
        400,
        'validation_failed',
        /^PKCE flow requires/,
      ],
      [
        'phones are off',
        '/otp',
        { phone: '15555550100' },
        400,
        'phone_provider_disabled',
        'Unsupported phone provider',
      ],
      ['no email', '/magiclink', {}, 422, 'validation_failed', 'Password recovery requires an email'],
      ['bad email', '/magiclink', { email: 'x' }, 400, 'validation_failed', /invalid format/],
      ['bad JSON type', '/magiclink', { email: 1 }, 400, 'bad_json', /^Could not read verification params: /],
    ];
    for (const [name, path, body, status, error_code, msg] of cases) {
      t.match((await call('POST', path, { body })).body, { code: status, error_code, msg }, name);
    }
  });
});

t.test('POST /recover', async (t) => {
  const flow = await openMailFlow(t);
  const { call } = flow;
  const email = freshEmail();
  await call('POST', '/signup', { body: { email, password } });
  await flow.nextMail(email);
  const sent = await call('POST', '/recover', { body: { email } });
  t.same([sent.status, sent.body], [200, {}]);
  const mail = await flow.nextMail(email);
  t.equal(mail.subject, 'Reset Your Password');
  const followed = await flow.follow(mail.link!);
  t.equal(followed.fragment.get('type'), 'recovery');
  const bearer = followed.fragment.get('access_token')!;
  t.equal((await call('PUT', '/user', { bearer, body: { password: 'a new passphrase' } })).status, 200);
  t.equal(
    (await call('POST', '/token?grant_type=password', { body: { email, password: 'a new passphrase' } })).status,
    200,
  );

  const unknown = freshEmail();
  const silent = await call('POST', '/recover', { body: { email: unknown } });
  t.same([silent.status, silent.body], [200, {}]);
  t.equal(await flow.mailsTo(unknown), 0);
  t.match((await call('POST', '/recover', { body: {} })).body, {
    code: 400,
    msg: 'Password recovery requires an email',
  });
});

t.test('POST /invite and decisions.md 6', async (t) => {
  const flow = await openMailFlow(t);
  const { call } = flow;
  const bearer = await adminToken();

  await t.test('an invited person has no password until one is given', async (t) => {
    const email = freshEmail();
    const invited = await call('POST', '/invite', { bearer, body: { email, data: { team: 'a' } } });
    t.equal(invited.status, 200);
    t.match(invited.body, { email, invited_at: String, confirmation_sent_at: String, user_metadata: { team: 'a' } });
    const { code, subject, link } = await flow.nextMail(email);
    t.equal(subject, 'You have been invited');
    t.equal(link!.searchParams.get('type'), 'invite');
    const bare = await call('POST', '/verify', { body: { type: 'signup', email, token: code } });
    t.match(bare.body, { code: 422, error_code: 'validation_failed' });
    const weak = await call('POST', '/verify', { body: { type: 'signup', email, token: code, password: 'x' } });
    t.match(weak.body, { code: 422, error_code: 'weak_password' });
    const good = await call('POST', '/verify', { body: { type: 'signup', email, token: code, password } });
    t.equal(good.status, 200);
    t.equal((await call('POST', '/token?grant_type=password', { body: { email, password } })).status, 200);
    t.match((await call('POST', '/invite', { bearer, body: { email } })).body, {
      code: 422,
      error_code: 'email_exists',
    });
  });

  await t.test('type invite needs none; a second invitation ends the first', async (t) => {
    const email = freshEmail();
    await call('POST', '/invite', { bearer, body: { email } });
    const first = await flow.nextMail(email);
    await call('POST', '/invite', { bearer, body: { email } });
    const second = await flow.nextMail(email);
    t.equal((await flow.follow(first.link!)).fragment.get('error_code'), 'otp_expired');
    const followed = await flow.follow(second.link!);
    t.equal(followed.fragment.get('type'), 'invite');
    t.ok(await isSignedIn(flow, followed.fragment.get('access_token')!, email));
  });

  await t.test('only for operators', async (t) => {
    t.equal((await call('POST', '/invite', { body: { email: freshEmail() } })).status, 401);
    const { body } = await call('POST', '/otp', { body: { email: 'person@example.com' } });
    t.same(body, {});
    const { code } = await flow.nextMail('person@example.com');
    const person = await call('POST', '/verify', { body: { type: 'email', email: 'person@example.com', token: code } });
    const refused = await call('POST', '/invite', { bearer: person.body.access_token, body: { email: freshEmail() } });
    t.match(refused.body, { code: 403, error_code: 'not_admin', msg: 'User not allowed' });
  });
});

t.test('a change of address', async (t) => {
  const flow = await openMailFlow(t);
  const { call } = flow;

  async function begin() {
    const email = freshEmail();
    await call('POST', '/otp', { body: { email } });
    const { code } = await flow.nextMail(email);
    const { body } = await call('POST', '/verify', { body: { type: 'email', email, token: code } });
    const next = freshEmail();
    const changed = await call('PUT', '/user', { bearer: body.access_token, body: { email: next } });
    return { email, next, bearer: body.access_token as string, changed };
  }

  await t.test('both sides confirm, in either order, by link or by code', async (t) => {
    for (const order of ['old first', 'new first'] as const) {
      const { email, next, changed } = await begin();
      t.match(changed.body, { email, new_email: next, email_change_sent_at: String });
      const [oldMail, newMail] = [await flow.nextMail(email), await flow.nextMail(next)];
      t.equal(oldMail.subject, 'Confirm Email Change');
      const [firstMail, secondMail] = order === 'old first' ? [oldMail, newMail] : [newMail, oldMail];
      const half = await flow.follow(firstMail.link!);
      t.same(Object.fromEntries(half.fragment), {
        message: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      });
      const done = await call('POST', '/verify', {
        body: { type: 'email_change', email: secondMail.to, token: secondMail.code },
      });
      t.equal(done.status, 200, order);
      t.match(done.body, { type: 'email_change', user: { email: next } });
      t.notOk('new_email' in done.body.user);
      t.match(done.body.user.identities, [{ provider: 'email', email: next }]);
    }
    const { email, next } = await begin();
    const oldMail = await flow.nextMail(email);
    const half = await call('POST', '/verify', { body: { type: 'email_change', email, token: oldMail.code } });
    t.same([half.status, half.body.code], [200, '200'], 'the string 200');
    await flow.nextMail(next);
  });

  await t.test('somebody took the address meanwhile', async (t) => {
    const { email, next } = await begin();
    const [oldMail, newMail] = [await flow.nextMail(email), await flow.nextMail(next)];
    await flow.follow(oldMail.link!);
    await call('POST', '/signup', { body: { email: next, password } });
    const refused = await call('POST', '/verify', {
      body: { type: 'email_change', token_hash: newMail.link!.searchParams.get('token') },
    });
    t.match(refused.body, { code: 422, error_code: 'email_exists' });
  });
});

t.test('one confirmation suffices where the secure change is off', async (t) => {
  const flow = await openMailFlow(t, { MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' });
  const email = freshEmail();
  await flow.call('POST', '/otp', { body: { email } });
  const { body } = await flow.call('POST', '/verify', {
    body: { type: 'email', email, token: (await flow.nextMail(email)).code },
  });
  const next = freshEmail();
  await flow.call('PUT', '/user', { bearer: body.access_token, body: { email: next } });
  const followed = await flow.follow((await flow.nextMail(next)).link!);
  t.equal(followed.fragment.get('type'), 'email_change');
  t.equal(await flow.mailsTo(email), 1, 'the old address hears nothing');
});

t.test('PKCE: links hand out a code, which the verifier exchanges once', async (t) => {
  const flow = await openMailFlow(t);
  const { call, database } = flow;
  const verifier = randomBytes(32).toString('base64url');
  const pkce = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  };
  const exchange = (auth_code: string, code_verifier: string) =>
    call('POST', '/token?grant_type=pkce', { body: { auth_code, code_verifier } });

  const email = freshEmail();
  const starts: [string, () => Promise<unknown>, string][] = [
    ['signup', () => call('POST', '/signup', { body: { email, password, ...pkce } }), 'email/signup'],
    ['magic link', () => call('POST', '/otp', { body: { email, ...pkce } }), 'magiclink'],
    ['recovery', () => call('POST', '/recover', { body: { email, ...pkce } }), 'recovery'],
  ];
  for (const [name, start, method] of starts) {
    await start();
    const { link } = await flow.nextMail(email);
    t.match(link!.searchParams.get('token'), /^pkce_[0-9a-f]{56}$/, name);
    const followed = await flow.follow(link!);
    t.equal(followed.status, 303);
    t.same([...followed.query.keys()], ['code']);
    t.equal(followed.location!.hash, '', 'no tokens');
    const code = followed.query.get('code')!;
    t.match((await exchange(code, 'wrong')).body, { code: 400, error_code: 'bad_code_verifier' });
    const exchanged = await exchange(code, verifier);
    t.equal(exchanged.status, 200, `${name}: a wrong verifier used nothing up`);
    t.match(decodeJwt(exchanged.body.access_token), { amr: [{ method }] });
    t.match((await exchange(code, verifier)).body, { code: 404, error_code: 'flow_state_not_found' }, 'once');
    const again = await flow.follow(link!);
    t.equal(again.query.get('error_code'), 'otp_expired', 'errors stand in the query too');
    t.equal(again.fragment.get('error_code'), 'otp_expired');
  }

  await call('POST', '/recover', { body: { email, ...pkce } });
  const late = await flow.follow((await flow.nextMail(email)).link!);
  await database.admin.query(`update flow_states set auth_code_issued_at = now() - interval '301 seconds'`);
  t.match((await exchange(late.query.get('code')!, verifier)).body, { code: 422, error_code: 'flow_state_expired' });
  t.match((await exchange('', '')).body, { code: 400, error_code: 'validation_failed' });

  await call('POST', '/recover', { body: { email, ...pkce } });
  const token_hash = (await flow.nextMail(email)).link!.searchParams.get('token');
  const direct = await call('POST', '/verify', { body: { type: 'recovery', token_hash } });
  t.match(direct.body, { access_token: String, type: 'recovery' }, 'by POST it gives tokens');
});

t.test('an anonymous person proves an address and becomes a permanent one', async (t) => {
  const flow = await openMailFlow(t, { EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const { call } = flow;
  const { body: guest } = await call('POST', '/signup', { body: { data: { cart: 3 } } });
  const email = freshEmail();
  const asked = await call('PUT', '/user', { bearer: guest.access_token, body: { email, password } });
  t.match(asked.body, { email: '', new_email: email, is_anonymous: true });
  const { code } = await flow.nextMail(email);
  const proven = await call('POST', '/verify', { body: { type: 'email_change', email, token: code } });
  t.match(proven.body, { type: 'email_change', user: { id: guest.user.id, email, is_anonymous: false } });
  t.match(proven.body.user, {
    email_confirmed_at: String,
    user_metadata: { cart: 3 },
    app_metadata: { provider: 'email' },
  });
  t.match(proven.body.user.identities, [{ provider: 'email', email }]);
  const signedIn = await call('POST', '/token?grant_type=password', { body: { email, password } });
  t.equal(signedIn.body.user.id, guest.user.id, 'the password given with the address holds');
});

t.test('PKCE for a change of address', async (t) => {
  const flow = await openMailFlow(t, { MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' });
  const { call } = flow;
  const email = freshEmail();
  await call('POST', '/otp', { body: { email } });
  const { body } = await call('POST', '/verify', {
    body: { type: 'email', email, token: (await flow.nextMail(email)).code },
  });
  const next = freshEmail();
  const verifier = randomBytes(32).toString('base64url');
  await call('PUT', '/user', {
    bearer: body.access_token,
    body: { email: next, code_challenge: verifier, code_challenge_method: 'plain' },
  });
  const followed = await flow.follow((await flow.nextMail(next)).link!);
  const exchanged = await call('POST', '/token?grant_type=pkce', {
    body: { auth_code: followed.query.get('code'), code_verifier: verifier },
  });
  t.equal(exchanged.body.user.email, next);
  t.match(decodeJwt(exchanged.body.access_token), { amr: [{ method: 'email_change' }] });
});

t.test('POST /resend', async (t) => {
  const flow = await openMailFlow(t);
  const { call } = flow;
  const email = freshEmail();
  await call('POST', '/signup', { body: { email, password } });
  const first = await flow.nextMail(email);
  const resent = await call('POST', '/resend', { body: { type: 'signup', email } });
  t.match(resent.body, { message_id: /^[0-9a-f-]{36}$/ });
  const second = await flow.nextMail(email);
  t.equal((await flow.follow(first.link!)).fragment.get('error_code'), 'otp_expired', 'the older link is dead');
  t.equal((await flow.follow(second.link!)).fragment.get('type'), 'signup');

  for (const [type, address] of [
    ['signup', email],
    ['signup', freshEmail()],
    ['email_change', email],
  ] as const) {
    const before = await flow.mailsTo(address);
    t.match((await call('POST', '/resend', { body: { type, email: address } })).body, {
      message_id: /^[0-9a-f-]{36}$/,
    });
    t.equal(await flow.mailsTo(address), before, 'the same answer, and nothing is sent');
  }
  const cases: [unknown, string][] = [
    [{ type: 'recovery', email }, 'Missing one of these types: signup, email_change, sms, phone_change'],
    [{ type: 'signup' }, 'Type provided requires an email address'],
    [{ type: 'sms', email }, 'Type provided requires a phone number'],
    [
      { type: 'email_change', email, phone: '15555550100' },
      'Only an email address or phone number should be provided.',
    ],
    [{ type: 'email_change' }, 'Missing email address or phone number'],
    [{ type: 'phone_change', phone: '15555550100' }, 'Phone logins are disabled'],
  ];
  for (const [body, msg] of cases) t.match((await call('POST', '/resend', { body })).body, { code: 400, msg }, msg);
});

t.test('GET /reauthenticate: a session that was signed out gets no code', async (t) => {
  const { call } = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true' });
  const { body } = await call('POST', '/signup', { body: { email: freshEmail(), password } });
  const bearer = body.access_token;
  t.equal((await call('POST', '/logout?scope=local', { bearer })).status, 204);
  t.equal((await call('GET', '/user', { bearer })).status, 200, 'its token is good until it expires');
  t.match(await call('GET', '/reauthenticate', { bearer }), { status: 403, body: { error_code: 'session_not_found' } });
});
