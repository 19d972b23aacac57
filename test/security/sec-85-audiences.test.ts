import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { type MailFlow, openMailFlow } from '../support/mail-flows.js';
import { freshEmail, freshPhone, JWT_SECRET } from '../support/server.js';
import { startFakeGateways } from '../support/sms-gateways.js';
import { type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';
import { until } from '../support/until.js';

const PASSWORD = 'correct horse battery';
const OTHER = 'another horse battery';
const NOT_ALLOWED = 'The audience in X-JWT-AUD is not one of this server';
const admin = signTestToken({ role: 'service_role' }, JWT_SECRET);

/** Requests without a token, each with an audience. */
const requests = (email: string): readonly [path: string, body: object][] => [
  ['/signup', { email, password: PASSWORD }],
  ['/signup', { phone: freshPhone(), password: PASSWORD }],
  ['/signup', {}],
  ['/token?grant_type=password', { email, password: PASSWORD }],
  ['/token?grant_type=id_token', { id_token: 'x', provider: 'google' }],
  ['/otp', { email }],
  ['/otp', { phone: freshPhone() }],
  ['/magiclink', { email }],
  ['/recover', { email }],
  ['/resend', { type: 'signup', email }],
  ['/verify', { type: 'signup', email, token: '123456' }],
];

const as = (audience: string) => ({ 'x-jwt-aud': audience });

t.test('SEC-85: unauthenticated clients choose an audience of the list, or none', async (t) => {
  const flow = await openMailFlow(t, {
    JWT_AUDIENCES: 'mobile, partners',
    EXTERNAL_PHONE_ENABLED: 'true',
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  });
  for (const [path, body] of requests(freshEmail())) {
    for (const made of ['made-up', 'Mobile', 'mobile,partners', '*']) {
      const answer = await flow.call('POST', path, { body, headers: as(made) });
      t.match(answer, { status: 400, body: { error_code: 'validation_failed', msg: NOT_ALLOWED } }, `${path} ${made}`);
    }
    for (const allowed of ['mobile', 'authenticated']) {
      const { body: answer } = await flow.call('POST', path, { body, headers: as(allowed) });
      t.not(answer.msg, NOT_ALLOWED, `${path} ${allowed}`);
    }
  }
  const { rows } = await flow.database.admin.query(`select distinct aud from users where aud <> 'authenticated'`);
  t.same(rows, [{ aud: 'mobile' }]);
  const leaving = await flow.call('GET', '/authorize?provider=github', { headers: as('made-up') });
  t.match(leaving, { status: 400, body: { msg: NOT_ALLOWED } });
  t.equal((await flow.call('GET', '/callback?state=x', { headers: as('made-up') })).status, 303);
});

t.test('SEC-85: without a list, there is one audience', async (t) => {
  const flow = await openMailFlow(t);
  const email = freshEmail();
  const body = { email, password: PASSWORD };
  t.equal((await flow.call('POST', '/signup', { body, headers: as('mobile') })).status, 400);
  t.equal((await flow.call('POST', '/signup', { body, headers: as('authenticated') })).status, 200, 'by name');
  t.equal((await flow.database.admin.query('select from users')).rows.length, 1);
});

t.test('SEC-85: with * any is allowed, as in supabase/auth', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: '*' });
  const body = { email: freshEmail(), password: PASSWORD };
  t.match(await flow.call('POST', '/signup', { body, headers: as('made-up') }), {
    status: 200,
    body: { aud: 'made-up' },
  });
});

t.test('SEC-85: an administrator is not bound by the list', async (t) => {
  const flow = await openMailFlow(t);
  const made = await flow.call('POST', '/admin/users', { body: { email: freshEmail(), aud: 'x' }, bearer: admin });
  t.match(made, { status: 200, body: { aud: 'x' } });
  const list = await flow.call('GET', '/admin/users', { bearer: admin, headers: as('x') });
  t.match(list.body, { aud: 'x', users: [{ id: made.body.id }] });
  const invited = await flow.call('POST', '/invite', {
    body: { email: freshEmail() },
    bearer: admin,
    headers: as('y'),
  });
  t.match(invited, { status: 200, body: { aud: 'y' } });
});

t.test('SEC-85: a token is valid for the audience of its account only', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: 'mobile', MAILER_AUTOCONFIRM: 'true' });
  const body = { email: freshEmail(), password: PASSWORD };
  const { body: session } = await flow.call('POST', '/signup', { body, headers: as('mobile') });
  const bearer = session.access_token;
  t.equal(claimsOf(bearer)['aud'], 'mobile');
  t.equal((await flow.call('GET', '/user', { bearer })).status, 200);
  t.equal((await flow.call('GET', '/user', { bearer, headers: as('mobile') })).status, 200);
  for (const other of ['authenticated', 'made-up']) {
    t.match(await flow.call('GET', '/user', { bearer, headers: as(other) }), { status: 400 }, other);
  }
});

const codeOf = async (flow: MailFlow, email: string): Promise<string> => (await flow.nextMail(email)).code;

const verify = (flow: MailFlow, email: string, token: string, audience: string) =>
  flow.call('POST', '/verify', { body: { type: 'email', email, token }, headers: as(audience) });

t.test('SEC-85: codes for two audiences are independent', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: 'mobile' });
  const ask = async (email: string, audience: string): Promise<string> => {
    t.equal((await flow.call('POST', '/otp', { body: { email }, headers: as(audience) })).status, 200);
    return codeOf(flow, email);
  };
  for (const [first, second] of [
    ['authenticated', 'mobile'],
    ['mobile', 'authenticated'],
  ] as const) {
    const email = freshEmail();
    const [early, late] = [await ask(email, first), await ask(email, second)];
    t.equal((await verify(flow, email, early, second)).status, 403, 'each for its own');
    const signedIn = await verify(flow, email, early, first);
    t.match(signedIn, { status: 200, body: { user: { email, aud: first } } });
    t.match(await verify(flow, email, late, second), { status: 200, body: { user: { id: signedIn.body.user.id } } });

    const again = freshEmail();
    const [old, young] = [await ask(again, first), await ask(again, first)];
    t.equal((await verify(flow, again, old, first)).status, 403, 'a newer one of the same audience ends the older');
    t.equal((await verify(flow, again, young, first)).status, 200);
  }
});

t.test('SEC-85: the same for links', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: 'mobile' });
  const email = freshEmail();
  await flow.call('POST', '/otp', { body: { email }, headers: as('mobile') });
  const early = await flow.nextMail(email);
  await flow.post('/otp', { email });
  const late = await flow.nextMail(email);
  const followed = await flow.follow(early.link!);
  t.equal(claimsOf(followed.fragment.get('access_token'))['aud'], 'mobile');
  t.ok((await flow.follow(late.link!)).fragment.get('access_token'));
});

t.test('SEC-85: … and for texts', async (t) => {
  const gateways = await startFakeGateways(t);
  const flow = await openMailFlow(t, {
    JWT_AUDIENCES: 'mobile',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_MAX_FREQUENCY: '0',
    ...gateways.settings('twilio'),
  });
  const phone = freshPhone();
  const ask = (audience: string) => flow.call('POST', '/otp', { body: { phone }, headers: as(audience) });
  for (const audience of ['mobile', 'authenticated', 'mobile']) t.equal((await ask(audience)).status, 200);
  const waiting = async (): Promise<string[]> => {
    const text = `select sign_up ->> 'audience' as audience from one_time_tokens where recipient = $1 order by created_at`;
    return (await flow.database.admin.query(text, [phone])).rows.map(({ audience }) => audience);
  };
  t.same(await waiting(), ['authenticated', 'mobile'], 'one for each');

  gateways.mode = 'refuseNumber';
  await ask('mobile');
  await until(async () => (await waiting()).length === 1);
  t.same(await waiting(), ['authenticated'], 'only the code that was not delivered is rolled back');
});

/** An attacker registers the address of a victim in an audience that the victim does not use. */
async function squat(t: Test, settings: Record<string, string> = {}) {
  const flow = await openExternalFlow(t, ['github'], { JWT_AUDIENCES: 'mobile', ...settings });
  const email = freshEmail();
  await flow.call('POST', '/signup', { body: { email, password: OTHER, data: { evil: true } }, headers: as('mobile') });
  const squatters = await flow.nextMail(email);
  const signIn = (password: string, audience: string) =>
    flow.call('POST', '/token?grant_type=password', { body: { email, password }, headers: as(audience) });
  const isOwners = async (bearer: string | null) => {
    const { body: user } = await flow.call('GET', '/user', { bearer: bearer ?? '', headers: as('authenticated') });
    t.match(user, { email, aud: 'authenticated' }, 'the account is the owner’s, where the owner is');
    t.notOk(user.user_metadata.evil);
    for (const audience of ['mobile', 'authenticated']) t.equal((await signIn(OTHER, audience)).status, 400);
    t.equal((await flow.follow(squatters.link!)).fragment.get('error_code'), 'otp_expired');
    t.equal((await flow.database.admin.query('select from users where email = $1', [email])).rows.length, 1);
    const changed = await flow.call('PUT', '/user', {
      bearer: bearer ?? '',
      body: { password: 'owner horse battery' },
    });
    t.equal(changed.status, 200, JSON.stringify(changed.body));
    const again = await signIn('owner horse battery', 'authenticated');
    t.equal(again.status, 200, JSON.stringify(again.body));
  };
  return { flow, email, isOwners };
}

t.test('SEC-85: the owner gets an address held in another audience by a code', async (t) => {
  const { flow, email, isOwners } = await squat(t);
  await flow.post('/otp', { email });
  const { body } = await verify(flow, email, await codeOf(flow, email), 'authenticated');
  await isOwners(body.access_token);
});

t.test('SEC-85: … by a sign-up', async (t) => {
  const { flow, email, isOwners } = await squat(t);
  const fresh = await flow.post('/signup', { email: freshEmail(), password: PASSWORD });
  const answer = await flow.post('/signup', { email, password: PASSWORD, data: { mine: 1 } });
  t.equal(answer.status, 200);
  t.same(Object.keys(answer.body), Object.keys(fresh.body), 'answered like any other');
  const landed = await flow.follow((await flow.nextMail(email)).link!);
  await isOwners(landed.fragment.get('access_token'));
});

t.test('SEC-85: … by a provider that vouches for it', async (t) => {
  const { flow, email, isOwners } = await squat(t);
  const landing = await flow.signIn('github', { as: flow.providers.person('github', { email, subject: 8501 }) });
  await isOwners(landing.fragment.get('access_token'));
});

t.test('SEC-85: what an operator set stays, the audience too', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: 'mobile' });
  const email = freshEmail();
  const made = await flow.call('POST', '/admin/users', { body: { email, aud: 'mobile' }, bearer: admin });
  t.equal(made.status, 200, 'the account exists before the code is asked for');
  await flow.post('/otp', { email });
  const { body } = await verify(flow, email, await codeOf(flow, email), 'authenticated');
  t.match(body.user, { id: made.body.id, aud: 'mobile' });
});

t.test('SEC-85: an address that is proven in another audience stays there', async (t) => {
  const flow = await openMailFlow(t, { JWT_AUDIENCES: 'mobile' });
  const email = freshEmail();
  await flow.call('POST', '/signup', { body: { email, password: PASSWORD }, headers: as('mobile') });
  await flow.follow((await flow.nextMail(email)).link!);
  t.equal((await flow.post('/signup', { email, password: OTHER })).status, 200, 'a made-up user');
  t.equal(await flow.mailsTo(email), 1, 'and no mail');
  const grant = (audience: string) =>
    flow.call('POST', '/token?grant_type=password', { body: { email, password: PASSWORD }, headers: as(audience) });
  t.equal((await grant('mobile')).status, 200);
  t.match(await grant('authenticated'), { status: 400, body: { error_code: 'invalid_credentials' } });
});
