import { asAdmin } from '../support/admin.js';
import { openMailFlow } from '../support/mail-flows.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('POST /admin/generate_link', async (t) => {
  const flow = await openMailFlow(t, {
    DISABLE_SIGNUP: 'true',
    API_EXTERNAL_URL: 'https://auth.example.com/base',
    MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'true',
  });
  const { post, database, mailsTo } = flow;
  const admin = asAdmin(flow);
  const generate = (body: object, headers?: Record<string, string>) =>
    admin('POST', '/admin/generate_link', body, headers);
  const makeUser = async (body: object = {}) =>
    (await admin('POST', '/admin/users', { email: freshEmail(), password, email_confirm: true, ...body })).body;
  /** Redeems by POST. */
  const redeem = (body: object) => post('/verify', body);

  await t.test('fields of every answer', async (t) => {
    const user = await makeUser();
    const { status, body } = await generate({
      type: 'magiclink',
      email: user.email.toUpperCase(),
      redirect_to: 'https://app.example.com/in?a=1&b=2',
    });
    t.equal(status, 200);
    t.match(body, {
      id: user.id,
      email: user.email,
      identities: [{}],
      email_otp: /^[0-9]{6}$/,
      hashed_token: /^[0-9a-f]{56}$/,
      verification_type: 'magiclink',
      redirect_to: 'https://app.example.com/in?a=1&b=2',
    });
    const target = encodeURIComponent('https://app.example.com/in?a=1&b=2');
    // The path setting replaces that of the external URL, as in mails.
    t.equal(
      body.action_link,
      `https://auth.example.com/verify?token=${body.hashed_token}&type=magiclink&redirect_to=${target}`,
    );
    t.ok(body.recovery_sent_at);
    t.equal(await mailsTo(user.email), 0, 'no mail leaves');
    const stored = await database.admin.query('select to_json(x)::text as row from one_time_tokens x');
    for (const { row } of stored.rows) {
      t.notOk(row.includes(body.hashed_token) || row.includes(`"${body.email_otp}"`), 'hashes only');
    }
  });

  await t.test('redirect_to: of the body, else of the request, each only if it is allowed', async (t) => {
    const { email } = await makeUser();
    const target = async (body: object, headers = {}) =>
      (await generate({ type: 'recovery', email, ...body }, headers)).body.redirect_to;
    t.equal(await target({}), 'http://localhost:3000');
    t.equal(await target({ redirect_to: 'https://evil.example/' }), 'http://localhost:3000');
    const headers = { redirect_to: 'https://app.example.com/b' };
    t.equal(await target({ redirect_to: 'https://app.example.com/a' }, headers), 'https://app.example.com/a');
    t.equal(await target({ redirect_to: 'https://evil.example/' }, headers), 'https://app.example.com/b');
  });

  await t.test('no rate limit: of twenty links the last one is valid', async (t) => {
    const { email } = await makeUser();
    const links = [];
    for (let i = 0; i < 20; i++) links.push((await generate({ type: 'magiclink', email })).body);
    t.equal((await redeem({ type: 'magiclink', token_hash: links[0].hashed_token })).status, 403);
    t.equal((await redeem({ type: 'magiclink', token_hash: links.at(-1).hashed_token })).status, 200);
  });

  await t.test('signup', async (t) => {
    const email = freshEmail();
    const lacking = await generate({ type: 'signup', email });
    t.match(lacking, { status: 400, body: { msg: 'Signup requires a valid password' } });
    t.match(await generate({ type: 'signup', email, password: 'x' }), {
      status: 422,
      body: { error_code: 'weak_password', weak_password: { reasons: ['length'] } },
    });
    const made = await generate({ type: 'signup', email, password, data: { plan: 'pro' } });
    t.match(made.body, {
      email,
      verification_type: 'signup',
      user_metadata: { plan: 'pro' },
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email', identity_data: { email, email_verified: false } }],
      action_link: /type=signup/,
    });
    t.ok(made.body.confirmation_sent_at);
    t.notOk('invited_at' in made.body);
    const again = await generate({ type: 'signup', email, password: 'not taken over', data: { seats: 2, plan: null } });
    t.equal(again.body.id, made.body.id);
    t.same(again.body.user_metadata, { seats: 2 });
    t.equal((await redeem({ type: 'signup', email, token: made.body.email_otp })).status, 403, 'the older one ended');
    const signedUp = await redeem({ type: 'signup', email, token: again.body.email_otp });
    t.equal(signedUp.status, 200);
    t.ok(signedUp.body.user.confirmed_at);
    t.equal((await post('/token?grant_type=password', { email, password })).status, 200);
    t.match(await generate({ type: 'signup', email, password }), {
      status: 422,
      body: { error_code: 'email_exists', msg: 'A user with this email address has already been registered' },
    });
  });

  await t.test('invite', async (t) => {
    const email = freshEmail();
    const made = await generate({ type: 'invite', email, data: { team: 1 } });
    t.match(made.body, { email, verification_type: 'invite', user_metadata: { team: 1 }, action_link: /type=invite/ });
    t.ok(made.body.invited_at);
    const again = await generate({ type: 'invite', email, data: { team: 2 } });
    t.match(again.body, { id: made.body.id, user_metadata: { team: 1 } });
    t.ok(again.body.invited_at > made.body.invited_at);
    t.equal((await redeem({ type: 'invite', token_hash: again.body.hashed_token })).status, 200);
    t.match(await generate({ type: 'invite', email }), { status: 422, body: { error_code: 'email_exists' } });
    const { rows } = await database.admin.query(
      "select payload from audit_log where payload ->> 'action' = 'user_invited' order by created_at",
    );
    t.equal(rows.length, 2);
    t.match(rows[0].payload, {
      actor_username: 'service_role',
      log_type: 'team',
      traits: { user_id: made.body.id, user_email: email },
    });
  });

  await t.test('magiclink and recovery', async (t) => {
    const email = freshEmail();
    const unused = await generate({ type: 'magiclink', email, data: { a: 1 } });
    t.match(unused.body, { email, verification_type: 'signup', user_metadata: { a: 1 }, action_link: /type=signup/ });
    t.equal((await redeem({ type: 'signup', email, token: unused.body.email_otp })).status, 200, 'without a password');
    for (const type of ['magiclink', 'recovery']) {
      const link = await generate({ type, email });
      t.match(link.body, { verification_type: type, action_link: new RegExp(`type=${type}`) });
      t.equal((await redeem({ type, email, token: link.body.email_otp })).status, 200, type);
    }
    const unknown = await generate({ type: 'recovery', email: freshEmail() });
    t.match(unknown, { status: 404, body: { error_code: 'user_not_found', msg: 'User with this email not found' } });
    const { rows } = await database.admin.query(
      "select payload from audit_log where payload ->> 'action' = 'user_recovery_requested' and payload ->> 'actor_username' = $1",
      [email],
    );
    t.equal(rows.length, 2, 'the actor is the user');
  });

  await t.test('email_change: both sides', async (t) => {
    const user = await makeUser();
    const next = freshEmail();
    const ask = (type: string, new_email = next) => generate({ type, email: user.email, new_email });
    const current = await ask('email_change_current');
    t.match(current.body, {
      new_email: next,
      verification_type: 'email_change_current',
      action_link: /type=email_change&/,
    });
    const toNew = await ask('email_change_new');
    t.equal(toNew.body.verification_type, 'email_change_new');
    t.ok(toNew.body.email_change_sent_at);
    const first = await redeem({ type: 'email_change', token_hash: current.body.hashed_token });
    t.equal(first.status, 200, 'the first side');
    const second = await redeem({ type: 'email_change', email: next, token: toNew.body.email_otp });
    t.equal(second.status, 200, 'the second one, by its code');
    t.equal(second.body.user.email, next);
  });

  await t.test('email_change: API errors; another target revokes the links to the first (SEC-40)', async (t) => {
    const [user, other] = [await makeUser(), await makeUser()];
    for (const type of ['email_change_current', 'email_change_new']) {
      const ask = (new_email: string, email = user.email) => generate({ type, email, new_email });
      t.match(await ask(''), { status: 400, body: { msg: 'An email address is required' } });
      t.match(await ask('x'), { status: 400, body: { error_code: 'validation_failed' } });
      t.match(await ask(other.email), { status: 422, body: { error_code: 'email_exists' } });
      t.match(await ask(freshEmail(), freshEmail()), { status: 404, body: { error_code: 'user_not_found' } });
    }
    const [wrong, right] = [freshEmail(), freshEmail()];
    const toWrong = await generate({ type: 'email_change_new', email: user.email, new_email: wrong });
    const current = await generate({ type: 'email_change_current', email: user.email, new_email: right });
    t.equal((await redeem({ type: 'email_change', token_hash: current.body.hashed_token })).status, 200);
    const taken = await redeem({ type: 'email_change', token_hash: toWrong.body.hashed_token });
    t.equal(taken.status, 403, 'the holder of the first target cannot confirm the second');
  });

  await t.test('API errors', async (t) => {
    for (const [body, msg] of [
      [{ type: 'signup' }, 'An email address is required'],
      [{ type: 'nonsense', email: 'x' }, /invalid format/],
      [{ type: 'nonsense', email: freshEmail() }, 'Invalid email action link type requested: nonsense'],
      [{ type: 'constructor', email: freshEmail() }, 'Invalid email action link type requested: constructor'],
      [{ email: freshEmail() }, 'Invalid email action link type requested: '],
    ] as const) {
      const answer = await generate(body);
      t.match(answer, { status: 400, body: { error_code: 'validation_failed', msg } }, String(msg));
    }
    const long = { type: 'invite', email: freshEmail(), data: { a: 'x'.repeat(17_000) } };
    t.match(await generate(long), {
      status: 422,
      body: { error_code: 'validation_failed', msg: /would have 2\d{4} bytes/ },
    });
    t.match(await generate({ type: 1 }), { status: 400, body: { error_code: 'bad_json' } });
    const email = freshEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => generate({ type: 'invite', email })));
    t.same(
      answers.map(({ status }) => [200, 422].includes(status)),
      answers.map(() => true),
      'one account',
    );
    const { rows } = await database.admin.query('select count(*)::int from users where email = $1', [email]);
    t.equal(rows[0].count, 1);
  });
});

t.test('without the secure email change there is one link', async (t) => {
  const flow = await openMailFlow(t, { MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' });
  const admin = asAdmin(flow);
  const email = freshEmail();
  await admin('POST', '/admin/users', { email, email_confirm: true });
  const ask = (type: string) => admin('POST', '/admin/generate_link', { type, email, new_email: freshEmail() });
  t.match(await ask('email_change_current'), {
    status: 400,
    body: { msg: 'Enable secure email change to generate link for current email' },
  });
  const { body } = await ask('email_change_new');
  const done = await flow.follow(new URL(body.action_link.replace(/^https?:\/\/[^/]+/, flow.url)));
  t.equal(done.status, 303);
  t.ok(done.fragment.get('access_token'));
  t.equal((await admin('GET', `/admin/users/${body.id}`)).body.email, body.new_email);
});
