import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { secretSigningKey } from '../../src/server/keys/key-set.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, JWT_SECRET, password } from '../support/server.js';
import { t } from '../support/tap.js';

const target = 'https://app.example.com/welcome';

const adminToken = () =>
  signAdminToken(
    { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: null },
    secretSigningKey({ jwtSecret: JWT_SECRET, jwtKeyId: '' }),
    Math.floor(Date.now() / 1000),
  );

const isSignedIn = async ({ call }: MailFlow, accessToken: string, email: string) => {
  const { status, body } = await call('GET', '/user', { bearer: accessToken });
  return status === 200 && body.email === email;
};

t.test('confirmation of a sign-up', async (t) => {
  const flow = await openMailFlow(t);
  const { call, post } = flow;

  await t.test('by the link: 303 to the target, tokens in the fragment, once', async (t) => {
    const email = freshEmail();
    await post(`/signup?redirect_to=${encodeURIComponent(target)}`, { email, password });
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
      ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'sb', 'token_type', 'type'],
    );
    t.equal(followed.fragment.get('type'), 'signup');
    t.ok(await isSignedIn(flow, followed.fragment.get('access_token')!, email));
    t.match(decodeJwt(followed.fragment.get('access_token')!), { amr: [{ method: 'otp' }] });

    const again = await flow.follow(mail.link!);
    t.equal(again.status, 303);
    t.same(Object.fromEntries(again.fragment), {
      sb: '',
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
    });
    const { body } = await post('/token?grant_type=password', { email, password });
    t.equal(body.user.user_metadata.email_verified, true);
    t.equal(body.user.identities[0].identity_data.email_verified, true);
  });

  await t.test('by a link whose & a mail program or gateway has written as &amp;', async (t) => {
    for (const rewrite of [
      (link: string) => link.replaceAll('&', '&amp;'),
      (link: string) => link.replaceAll('&', '&amp;amp;'),
      (link: string) => link.replaceAll('&', '&amp%3B'),
    ]) {
      const email = freshEmail();
      await post(`/signup?redirect_to=${encodeURIComponent(target)}`, { email, password });
      const { link } = await flow.nextMail(email);
      const escaped = rewrite(link!.href);
      t.equal(
        (await call('GET', `${link!.pathname}${new URL(escaped).search}&type=signup`)).status,
        400,
        'type is given twice',
      );
      const followed = await flow.follow(new URL(escaped));
      t.equal(followed.location?.href.split('#')[0], target, escaped);
      t.ok(followed.fragment.has('access_token'));
    }
    t.equal((await call('POST', '/token?amp;grant_type=password', { body: {} })).status, 400, 'links only');
  });

  await t.test('by the code, and by the token hash, with POST; the response has a type', async (t) => {
    for (const [type, pick] of [
      ['signup', 'code'],
      ['email', 'code'],
      ['signup', 'token_hash'],
      ['signup', 'lone token'],
    ] as const) {
      const email = freshEmail();
      await post('/signup', { email, password });
      const { code, link } = await flow.nextMail(email);
      const linkToken = link!.searchParams.get('token');
      const body =
        pick === 'code'
          ? { type, email, token: code }
          : pick === 'token_hash'
            ? { type, token_hash: linkToken }
            : { type, token: linkToken };
      const verified = await post('/verify', body);
      t.equal(verified.status, 200, `${type} by ${pick}`);
      t.match(verified.body, {
        access_token: String,
        refresh_token: String,
        token_type: 'bearer',
        type: 'signup',
        user: { email },
      });
      const again = await post('/verify', body);
      t.match(again.body, { code: 403, error_code: 'otp_expired' }, 'once');
    }
  });

  await t.test('API errors of POST /verify consume no token', async (t) => {
    const email = freshEmail();
    await post('/signup', { email, password });
    const { code, link } = await flow.nextMail(email);
    const token_hash = link!.searchParams.get('token');
    const wrong = code === '000000' ? '000001' : '000000';
    const invalid = [400, 'validation_failed'] as const;
    const expired = [403, 'otp_expired', 'Token has expired or is invalid'] as const;
    const badLink = [403, 'otp_expired', 'Email link is invalid or has expired'] as const;
    const oneContact = [...invalid, 'Only an email address or phone number should be provided on verify'] as const;
    const oneToken = [...invalid, 'Verify requires either a token or a token hash'] as const;
    const cases: [string, unknown, number, string, string][] = [
      ['no type', { email, token: code }, ...invalid, 'Verify requires a verification type'],
      ['no token', { type: 'signup', email }, ...oneToken],
      ['both', { type: 'signup', token: code, token_hash }, ...oneToken],
      [
        'bad phone',
        { type: 'sms', phone: 'x', token: code },
        ...invalid,
        'Invalid phone number format (E.164 required)',
      ],
      ['bad email', { type: 'signup', email: 'x', token: code }, 422, 'validation_failed', 'Invalid email format'],
      ['lone code', { type: 'signup', token: code }, ...oneContact],
      ['two contacts', { type: 'signup', token: code, email, phone: '15555550100' }, ...oneContact],
      [
        'hash and email',
        { type: 'signup', token_hash, email },
        ...invalid,
        'Only the token_hash and type should be provided',
      ],
      ['hash, phone type', { type: 'sms', token_hash }, ...invalid, 'Invalid email verification type'],
      ['unknown type', { type: 'magic', email, token: code }, ...expired],
      ['wrong type', { type: 'recovery', email, token: code }, ...expired],
      ['wrong code', { type: 'signup', email, token: wrong }, ...expired],
      ['wrong address', { type: 'signup', email: freshEmail(), token: code }, ...expired],
      ['unknown hash', { type: 'signup', token_hash: 'a'.repeat(56) }, ...badLink],
      ['hash, other type', { type: 'recovery', token_hash }, ...badLink],
    ];
    for (const [name, body, status, error_code, msg] of cases) {
      const answer = await post('/verify', body);
      t.same(answer.body, { code: status, error_code, msg }, name);
    }
    t.equal((await post('/verify', { type: 'signup', email, token: code })).status, 200);
    t.match((await call('GET', '/verify?token=x')).body, { code: 400, msg: 'Verify requires a verification type' });
    t.match((await call('GET', '/verify?type=signup')).body, {
      code: 400,
      msg: 'Verify requires a token or a token hash',
    });
  });
});

t.test('sign-in by mail', async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;

  await t.test('an unknown address gets its account when the code is redeemed', async (t) => {
    for (const [path, type] of [
      ['/otp', 'email'],
      ['/magiclink', 'signup'],
    ] as const) {
      const email = freshEmail();
      const sent = await post(path, { email, data: { plan: 'pro' } });
      t.same([sent.status, sent.body], [200, {}]);
      const none = await database.admin.query('select 1 from users where email = $1', [email]);
      t.equal(none.rows.length, 0, 'no account yet');
      const { code } = await flow.nextMail(email);
      const verified = await post('/verify', { type, email, token: code });
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

  await t.test('a known address gets a magic link', async (t) => {
    const email = freshEmail();
    await post('/signup', { email, password });
    await flow.follow((await flow.nextMail(email)).link!);
    await post('/otp', { email, create_user: false });
    const mail = await flow.nextMail(email);
    t.equal(mail.subject, 'Your Magic Link');
    t.equal(mail.link?.searchParams.get('type'), 'magiclink');
    const followed = await flow.follow(mail.link!);
    t.equal(followed.fragment.get('type'), 'magiclink');
    t.ok(await isSignedIn(flow, followed.fragment.get('access_token')!, email));
    t.equal(followed.location!.href.split('#')[0], 'http://localhost:3000/'.replace(/\/$/, '/'), 'SITE_URL');
  });

  await t.test('an account created in the meantime is signed in to and loses its unconfirmed password', async (t) => {
    const email = freshEmail();
    await post('/otp', { email });
    const { code } = await flow.nextMail(email);
    await post('/signup', { email, password: 'attackers password' });
    const verified = await post('/verify', { type: 'email', email, token: code });
    t.equal(verified.status, 200);
    const attack = await post('/token?grant_type=password', { email, password: 'attackers password' });
    t.equal(attack.body.error_code, 'invalid_credentials');
  });

  await t.test('API errors', async (t) => {
    const invalid = [400, 'validation_failed'] as const;
    const closed = [422, 'otp_disabled'] as const;
    const cases: [string, string, unknown, number, string, string | RegExp][] = [
      [
        'both',
        '/otp',
        { email: 'a@b.co', phone: '15555550100' },
        ...invalid,
        'Only an email address or phone number should be provided',
      ],
      [
        'channel',
        '/otp',
        { email: 'a@b.co', channel: 'sms' },
        ...invalid,
        'Channel should only be specified with Phone OTP',
      ],
      ['neither', '/otp', {}, ...invalid, 'One of email or phone must be set'],
      [
        'unknown, no sign-up',
        '/otp',
        { email: freshEmail(), create_user: false },
        ...closed,
        'Signups not allowed for otp',
      ],
      ['malformed, no sign-up', '/otp', { email: 'x', create_user: false }, ...closed, 'Signups not allowed for otp'],
      ['half of PKCE', '/otp', { email: 'a@b.co', code_challenge: 'a'.repeat(43) }, ...invalid, /^PKCE flow requires/],
      [
        'phones are off',
        '/otp',
        { phone: '15555550100' },
        400,
        'phone_provider_disabled',
        'Unsupported phone provider',
      ],
      ['no email', '/magiclink', {}, 422, 'validation_failed', 'Password recovery requires an email'],
      ['bad email', '/magiclink', { email: 'x' }, ...invalid, /invalid format/],
      ['bad JSON type', '/magiclink', { email: 1 }, 400, 'bad_json', /^Could not read verification params: /],
    ];
    for (const [name, path, body, status, error_code, msg] of cases) {
      t.match((await post(path, body)).body, { code: status, error_code, msg }, name);
    }
  });
});

t.test('POST /recover', async (t) => {
  const flow = await openMailFlow(t);
  const { call, post } = flow;
  const email = freshEmail();
  await post('/signup', { email, password });
  await flow.nextMail(email);
  const sent = await post('/recover', { email });
  t.same([sent.status, sent.body], [200, {}]);
  const mail = await flow.nextMail(email);
  t.equal(mail.subject, 'Reset Your Password');
  const followed = await flow.follow(mail.link!);
  t.equal(followed.fragment.get('type'), 'recovery');
  const bearer = followed.fragment.get('access_token')!;
  t.equal((await call('PUT', '/user', { bearer, body: { password: 'a new passphrase' } })).status, 200);
  t.equal((await post('/token?grant_type=password', { email, password: 'a new passphrase' })).status, 200);

  const unknown = freshEmail();
  const silent = await post('/recover', { email: unknown });
  t.same([silent.status, silent.body], [200, {}]);
  t.equal(await flow.mailsTo(unknown), 0);
  t.match((await post('/recover', {})).body, { code: 400, msg: 'Password recovery requires an email' });
});

t.test('POST /invite: accounts without a password', async (t) => {
  const flow = await openMailFlow(t);
  const { call, post } = flow;
  const bearer = await adminToken();

  await t.test('an invited user has no password until one is set', async (t) => {
    const email = freshEmail();
    const invited = await call('POST', '/invite', { bearer, body: { email, data: { team: 'a' } } });
    t.equal(invited.status, 200);
    t.match(invited.body, { email, invited_at: String, confirmation_sent_at: String, user_metadata: { team: 'a' } });
    const { code, subject, link } = await flow.nextMail(email);
    t.equal(subject, 'You have been invited');
    t.equal(link!.searchParams.get('type'), 'invite');
    const bare = await post('/verify', { type: 'signup', email, token: code });
    t.match(bare.body, { code: 422, error_code: 'validation_failed' });
    const weak = await post('/verify', { type: 'signup', email, token: code, password: 'x' });
    t.match(weak.body, { code: 422, error_code: 'weak_password' });
    const good = await post('/verify', { type: 'signup', email, token: code, password });
    t.equal(good.status, 200);
    t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
    t.match((await call('POST', '/invite', { bearer, body: { email } })).body, {
      code: 422,
      error_code: 'email_exists',
    });
  });

  await t.test('type invite needs no password; a second invitation revokes the first', async (t) => {
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

  await t.test('only for administrators', async (t) => {
    t.equal((await post('/invite', { email: freshEmail() })).status, 401);
    const { body } = await post('/otp', { email: 'person@example.com' });
    t.same(body, {});
    const { code } = await flow.nextMail('person@example.com');
    const person = await post('/verify', { type: 'email', email: 'person@example.com', token: code });
    const refused = await call('POST', '/invite', { bearer: person.body.access_token, body: { email: freshEmail() } });
    t.match(refused.body, { code: 403, error_code: 'not_admin', msg: 'User not allowed' });
  });
});

t.test('a change of address', async (t) => {
  const flow = await openMailFlow(t);
  const { call, post } = flow;

  async function begin() {
    const email = freshEmail();
    await post('/otp', { email });
    const { code } = await flow.nextMail(email);
    const { body } = await post('/verify', { type: 'email', email, token: code });
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
        sb: '',
        message: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      });
      const done = await post('/verify', { type: 'email_change', email: secondMail.to, token: secondMail.code });
      t.equal(done.status, 200, order);
      t.match(done.body, { type: 'email_change', user: { email: next } });
      t.notOk('new_email' in done.body.user);
      t.match(done.body.user.identities, [{ provider: 'email', email: next }]);
    }
    const { email, next } = await begin();
    const oldMail = await flow.nextMail(email);
    const half = await post('/verify', { type: 'email_change', email, token: oldMail.code });
    t.same([half.status, half.body.code], [200, '200'], 'the string 200');
    await flow.nextMail(next);
  });

  await t.test('the address was taken in the meantime', async (t) => {
    const { email, next } = await begin();
    const [oldMail, newMail] = [await flow.nextMail(email), await flow.nextMail(next)];
    await flow.follow(oldMail.link!);
    await post('/signup', { email: next, password });
    const refused = await post('/verify', {
      type: 'email_change',
      token_hash: newMail.link!.searchParams.get('token'),
    });
    t.match(refused.body, { code: 422, error_code: 'email_exists' });
  });
});

t.test('both sides confirm a change also with autoconfirm, which is about sign-ups', async (t) => {
  const flow = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true' });
  const [email, next] = [freshEmail(), freshEmail()];
  const { access_token: bearer } = (await flow.post('/signup', { email, password })).body;
  await flow.call('PUT', '/user', { bearer, body: { email: next } });
  const half = await flow.follow((await flow.nextMail(next)).link!);
  t.match(half.fragment.get('message'), /^Confirmation link accepted/);
  t.equal((await flow.call('GET', '/user', { bearer })).body.email, email, 'the stolen session has not moved it');
  t.ok((await flow.follow((await flow.nextMail(email)).link!)).fragment.get('access_token'));
  t.equal((await flow.call('GET', '/user', { bearer })).body.email, next);
});

t.test('one confirmation suffices without the secure email change', async (t) => {
  const flow = await openMailFlow(t, { MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' });
  const email = freshEmail();
  await flow.post('/otp', { email });
  const { body } = await flow.post('/verify', { type: 'email', email, token: (await flow.nextMail(email)).code });
  const next = freshEmail();
  await flow.call('PUT', '/user', { bearer: body.access_token, body: { email: next } });
  const followed = await flow.follow((await flow.nextMail(next)).link!);
  t.equal(followed.fragment.get('type'), 'email_change');
  t.equal(await flow.mailsTo(email), 1, 'the old address gets no mail');
});

t.test('PKCE: a link gives a code, which is exchanged once', async (t) => {
  const flow = await openMailFlow(t);
  const { post, database } = flow;
  const verifier = randomBytes(32).toString('base64url');
  const pkce = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  };
  const exchange = (auth_code: string, code_verifier: string) =>
    post('/token?grant_type=pkce', { auth_code, code_verifier });

  const email = freshEmail();
  const starts: [string, () => Promise<unknown>, string][] = [
    ['signup', () => post('/signup', { email, password, ...pkce }), 'email/signup'],
    ['magic link', () => post('/otp', { email, ...pkce }), 'magiclink'],
    ['recovery', () => post('/recover', { email, ...pkce }), 'recovery'],
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
    t.equal(again.query.get('error_code'), 'otp_expired', 'errors are in the query, too');
    t.equal(again.fragment.get('error_code'), 'otp_expired');
  }

  await post('/recover', { email, ...pkce });
  const late = await flow.follow((await flow.nextMail(email)).link!);
  await database.admin.query(`update flow_states set auth_code_issued_at = now() - interval '301 seconds'`);
  t.match((await exchange(late.query.get('code')!, verifier)).body, { code: 422, error_code: 'flow_state_expired' });
  t.match((await exchange('', '')).body, { code: 400, error_code: 'validation_failed' });

  await post('/recover', { email, ...pkce });
  const token_hash = (await flow.nextMail(email)).link!.searchParams.get('token');
  const direct = await post('/verify', { type: 'recovery', token_hash });
  t.match(direct.body, { access_token: String, type: 'recovery' }, 'by POST it gives tokens');
});

t.test('an anonymous user confirms an address and becomes permanent', async (t) => {
  const flow = await openMailFlow(t, { EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' });
  const { call, post } = flow;
  const { body: guest } = await post('/signup', { data: { cart: 3 } });
  const email = freshEmail();
  const asked = await call('PUT', '/user', { bearer: guest.access_token, body: { email, password } });
  t.match(asked.body, { email: '', new_email: email, is_anonymous: true });
  const { code } = await flow.nextMail(email);
  const proven = await post('/verify', { type: 'email_change', email, token: code });
  t.match(proven.body, { type: 'email_change', user: { id: guest.user.id, email, is_anonymous: false } });
  t.match(proven.body.user, {
    email_confirmed_at: String,
    user_metadata: { cart: 3 },
    app_metadata: { provider: 'email' },
  });
  t.match(proven.body.user.identities, [{ provider: 'email', email }]);
  const signedIn = await post('/token?grant_type=password', { email, password });
  t.equal(signedIn.body.user.id, guest.user.id, 'the password given with the address holds');
});

t.test('PKCE for a change of address', async (t) => {
  const flow = await openMailFlow(t, { MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' });
  const { call, post } = flow;
  const email = freshEmail();
  await post('/otp', { email });
  const { body } = await post('/verify', { type: 'email', email, token: (await flow.nextMail(email)).code });
  const next = freshEmail();
  const verifier = randomBytes(32).toString('base64url');
  await call('PUT', '/user', {
    bearer: body.access_token,
    body: { email: next, code_challenge: verifier, code_challenge_method: 'plain' },
  });
  const followed = await flow.follow((await flow.nextMail(next)).link!);
  const exchanged = await post('/token?grant_type=pkce', {
    auth_code: followed.query.get('code'),
    code_verifier: verifier,
  });
  t.equal(exchanged.body.user.email, next);
  t.match(decodeJwt(exchanged.body.access_token), { amr: [{ method: 'email_change' }] });
});

t.test('POST /resend', async (t) => {
  const flow = await openMailFlow(t);
  const { post } = flow;
  const email = freshEmail();
  await post('/signup', { email, password });
  const first = await flow.nextMail(email);
  const resent = await post('/resend', { type: 'signup', email });
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
    t.match((await post('/resend', { type, email: address })).body, { message_id: /^[0-9a-f-]{36}$/ });
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
  for (const [body, msg] of cases) t.match((await post('/resend', body)).body, { code: 400, msg }, msg);
});

t.test('GET /reauthenticate: a session that was signed out gets no code', async (t) => {
  const { call, post } = await openMailFlow(t, { MAILER_AUTOCONFIRM: 'true' });
  const { body } = await post('/signup', { email: freshEmail(), password });
  const bearer = body.access_token;
  t.equal((await call('POST', '/logout?scope=local', { bearer })).status, 204);
  t.equal((await call('GET', '/user', { bearer })).status, 200, 'its token is good until it expires');
  t.match(await call('GET', '/reauthenticate', { bearer }), { status: 403, body: { error_code: 'session_not_found' } });
});
