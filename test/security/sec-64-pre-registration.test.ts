import { claimsOf, type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import { freshEmail, JWT_SECRET } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { signTestToken } from '../support/tokens.js';

const PASSWORD = 'correct horse battery';
let ids = 1000;

const signUp = (flow: ExternalFlow, email: string) =>
  flow.post('/signup', { email, password: PASSWORD, data: { planted: true } });
const passwordGrant = (flow: ExternalFlow, email: string) =>
  flow.post('/token?grant_type=password', { email, password: PASSWORD });

async function userOf(flow: ExternalFlow, email: string) {
  const { rows } = await flow.database.admin.query(
    `select u.*, (select array_agg(provider order by created_at) from identities i where i.user_id = u.id) as providers
    from users u where u.email = $1`,
    [email],
  );
  return rows[0];
}

async function signsIn(t: Test, flow: ExternalFlow, as: string, name: 'github' | 'gitlab' = 'github') {
  const landing = await flow.signIn(name, { as });
  t.ok(landing.fragment.get('access_token'), landing.location.href);
  return claimsOf(landing.fragment.get('access_token')).sub;
}

t.test(
  'SEC-64: registering the address of another user gives no access when the owner signs in at a provider',
  async (t) => {
    const flow = await openExternalFlow(t, ['github']);
    const email = freshEmail();
    t.equal((await signUp(flow, email)).status, 200);
    const attackersMail = await flow.nextMail(email);
    const planted = await userOf(flow, email);

    const as = flow.providers.person('github', { email, subject: ids++ });
    t.equal(await signsIn(t, flow, as), planted.id, 'the unproven account is taken over, not doubled');
    const owned = await userOf(flow, email);
    t.equal(owned.password_hash, null, 'the password is gone');
    t.same(owned.providers, ['github'], 'so is the identity it came with');
    t.same(owned.app_metadata, { provider: 'github', providers: ['github'] });
    t.notOk('planted' in owned.user_metadata, 'and what was written on it');
    t.ok(owned.email_confirmed_at);
    t.match(await passwordGrant(flow, email), { status: 400, body: { error_code: 'invalid_credentials' } });
    t.equal((await flow.follow(attackersMail.link!)).fragment.get('error_code'), 'otp_expired', 'the first is revoked');
  },
);

t.test('SEC-64: nor in the other order', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  const as = flow.providers.person('github', { email, subject: ids++ });
  const owner = await signsIn(t, flow, as);

  const { status, body } = await signUp(flow, email);
  t.equal(status, 200, 'answered as any sign-up');
  t.not(body.id, owner, 'with a made-up user');
  t.match(await passwordGrant(flow, email), { status: 400, body: { error_code: 'invalid_credentials' } });
  const user = await userOf(flow, email);
  t.equal(user.password_hash, null);
  t.notOk('planted' in user.user_metadata);
  t.equal(await signsIn(t, flow, as), owner);
});

t.test('SEC-64: sessions and identities of an unproven account end when its owner comes', async (t) => {
  // Sessions exist where unverified addresses may sign in.
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true' });
  const email = freshEmail();
  const claim = flow.providers.person('gitlab', { email, isVerified: false, subject: ids++ });
  const attacker = await flow.signIn('gitlab', { as: claim });
  t.ok(attacker.fragment.get('refresh_token'), 'the attacker is in');
  const as = flow.providers.person('github', { email, subject: ids++ });
  t.equal(await signsIn(t, flow, as), claimsOf(attacker.fragment.get('access_token')).sub);
  const refresh = await flow.post('/token?grant_type=refresh_token', {
    refresh_token: attacker.fragment.get('refresh_token'),
  });
  t.match(refresh, { status: 400, body: { error_code: 'refresh_token_not_found' } }, 'and is out');
  t.same((await userOf(flow, email)).providers, ['github']);
  const again = await flow.signIn('gitlab', { as: claim });
  t.not(claimsOf(again.fragment.get('access_token')).sub, (await userOf(flow, email)).id, 'another account');
});

t.test('SEC-64: an unverified address of a provider links nothing, and stores nothing', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  await signUp(flow, email);
  const mail = await flow.nextMail(email);
  await flow.follow(mail.link!);
  const owner = await userOf(flow, email);

  const as = flow.providers.person('github', { email, isVerified: false, subject: ids++ });
  const landing = await flow.signIn('github', { as });
  t.same(Object.fromEntries(landing.fragment), {
    sb: '',
    error: 'access_denied',
    error_code: 'provider_email_needs_verification',
    error_description: 'Unverified email with github. Verify the email with github in order to sign in',
  });
  const { rows } = await flow.database.admin.query('select * from users');
  t.equal(rows.length, 1, 'no half-made user');
  t.same((await userOf(flow, email)).providers, owner.providers);
  t.equal(await flow.mailsTo(email), 1, 'and no mail to the owner');
});

t.test('SEC-64: an unverified, unknown address has to be confirmed by its owner', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  const as = flow.providers.person('github', { email, isVerified: false, subject: 777_001 });
  const landing = await flow.signIn('github', { as });
  t.same(Object.fromEntries(landing.query), {
    error: 'access_denied',
    error_code: 'provider_email_needs_verification',
    error_description: 'Unverified email with github. A confirmation email has been sent to your github email',
  });
  t.equal(await userOf(flow, email), undefined, 'no half-made user');

  const mail = await flow.nextMail(email);
  const confirmed = await flow.follow(mail.link!);
  t.ok(confirmed.fragment.get('access_token'), 'the mail makes the account');
  const user = await userOf(flow, email);
  t.same(user.providers, ['github']);
  t.match(user.user_metadata, { sub: '777001', email_verified: true });
  t.equal(await signsIn(t, flow, as), user.id, 'which the provider now opens, verified or not');
});

t.test('SEC-64: the owner may register in the meantime; the attacker is not signed in', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  const as = flow.providers.person('github', { email, isVerified: false, subject: ids++ });
  await flow.signIn('github', { as });
  await flow.nextMail(email);
  await signUp(flow, email);
  await flow.follow((await flow.nextMail(email)).link!);
  t.equal((await passwordGrant(flow, email)).status, 200);
  const landing = await flow.signIn('github', { as });
  t.equal(landing.query.get('error_code'), 'provider_email_needs_verification');
  t.same((await userOf(flow, email)).providers, ['email']);
});

t.test('SEC-64: an unverified identity does not collect the other identities of an address', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { SECURITY_MANUAL_LINKING_ENABLED: 'true' });
  const [attacker, victim] = [freshEmail(), freshEmail()];
  const first = await flow.signIn('github', {
    as: flow.providers.person('github', { email: attacker, subject: ids++ }),
  });
  const bearer = first.fragment.get('access_token')!;
  // The attacker links an identity that claims the victim's address, which manual linking allows.
  const claim = flow.providers.person('gitlab', { email: victim, isVerified: false, subject: ids++ });
  const linked = await flow.link('gitlab', bearer, { as: claim });
  t.ok(linked.fragment.get('access_token'));

  const as = flow.providers.person('github', { email: victim, subject: ids++ });
  const sub = await signsIn(t, flow, as);
  t.not(sub, claimsOf(bearer).sub, 'the victim gets an account of their own');
  await flow.database.admin.query('update users set email = null where id = $1', [sub]);
  const admin = signTestToken({ role: 'service_role' }, JWT_SECRET);
  const made = await flow.call('POST', '/admin/users', { bearer: admin, body: { email: victim } });
  t.match(made, { status: 422, body: { error_code: 'email_exists' } }, 'the verified identity keeps the address');
  await flow.database.admin.query('delete from users where id = $1', [sub]);
  const again = await flow.call('POST', '/admin/users', { bearer: admin, body: { email: victim } });
  t.equal(again.status, 200, 'the unverified one does not');
});

t.test('SEC-64: recovery of an unconfirmed account shuts out its creator', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS: 'true' });
  const email = freshEmail();
  const as = flow.providers.person('github', { email, isVerified: false, subject: ids++ });
  const attacker = await signsIn(t, flow, as);
  const attackersMail = await flow.nextMail(email);
  await flow.post('/recover', { email });
  const recovered = await flow.follow((await flow.nextMail(email)).link!);
  t.equal(claimsOf(recovered.fragment.get('access_token')).sub, attacker, 'the same account');
  t.same((await userOf(flow, email)).providers, null, 'without the identity');
  t.equal((await flow.follow(attackersMail.link!)).fragment.get('error_code'), 'otp_expired');
});

t.test('SEC-64: a sign-in by mail to an unconfirmed account shuts out its creator', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  for (const path of ['/otp', '/magiclink']) {
    const email = freshEmail();
    await signUp(flow, email);
    await flow.nextMail(email);
    const planted = await userOf(flow, email);
    t.equal((await flow.post(path, { email })).status, 200);
    const landing = await flow.follow((await flow.nextMail(email)).link!);
    t.equal(claimsOf(landing.fragment.get('access_token')).sub, planted.id);
    t.match(await passwordGrant(flow, email), { status: 400, body: { error_code: 'invalid_credentials' } }, path);
  }
});

t.test('SEC-64: an account proven by its phone stays, and loses an address it never proved', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { EXTERNAL_PHONE_ENABLED: 'true', SMS_AUTOCONFIRM: 'true' });
  const email = freshEmail();
  const phone = '15550001111';
  const { body } = await flow.post('/signup', { phone, password: PASSWORD });
  const planted = 'update users set email = $2, proven_phone = phone where id = $1';
  await flow.database.admin.query(planted, [body.user.id, email]);

  const as = flow.providers.person('github', { email, subject: ids++ });
  const sub = await signsIn(t, flow, as);
  t.not(sub, body.user.id);
  const { rows } = await flow.database.admin.query('select email, phone from users where id = $1', [body.user.id]);
  t.same(rows, [{ email: null, phone }]);
  const phoneGrant = await flow.post('/token?grant_type=password', { phone, password: PASSWORD });
  t.equal(phoneGrant.status, 200);
});
