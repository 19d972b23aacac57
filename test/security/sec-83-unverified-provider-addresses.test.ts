import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { freshEmail, password } from '../support/server.js';
import { t } from '../support/tap.js';

let subjects = 9000;

t.test('SEC-83: an unverified address of a provider does not replace a pending sign-up', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab']);
  const { call, post } = flow;
  const email = freshEmail();
  await post('/otp', { email, data: { name: 'Ann' } });
  const owners = await flow.nextMail(email);
  const landing = await flow.signIn('github', {
    as: flow.providers.person('github', { email, isVerified: false, subject: subjects++ }),
  });
  t.equal(landing.query.get('error_code'), 'provider_email_needs_verification', 'answered as ever');
  const followed = await flow.follow(owners.link!);
  t.ok(followed.fragment.get('access_token'), "the owner's link is good");
  const { body: user } = await call('GET', '/user', { bearer: followed.fragment.get('access_token')! });
  t.equal(user.user_metadata.name, 'Ann');
  t.same(
    user.identities.map((identity: { provider: string }) => identity.provider),
    ['email'],
  );
  t.equal(await flow.mailsTo(email), 1, 'and no mail for the other identity');
});

t.test('SEC-83: nor that of another provider; the same identity may retry, and the owner may register', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab']);
  const { call, post } = flow;
  const email = freshEmail();
  const first = flow.providers.person('github', { email, isVerified: false, subject: subjects++ });
  const second = flow.providers.person('gitlab', { email, isVerified: false, subject: subjects++ });
  await flow.signIn('github', { as: first });
  await flow.nextMail(email);
  await flow.signIn('gitlab', { as: second });
  t.equal(await flow.mailsTo(email), 1);
  await flow.signIn('github', { as: first });
  await flow.nextMail(email);
  await post('/otp', { email });
  const landing = await flow.follow((await flow.nextMail(email)).link!);
  const { body: user } = await call('GET', '/user', { bearer: landing.fragment.get('access_token')! });
  t.same(
    user.identities.map((identity: { provider: string }) => identity.provider),
    ['email'],
  );
});

t.test('SEC-83: with autoconfirm it creates an account and signs in to none', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { MAILER_AUTOCONFIRM: 'true' });
  const { post, database } = flow;
  const email = freshEmail();
  const { body: owner } = await post('/signup', { email, password });
  const as = flow.providers.person('github', { email, isVerified: false, subject: subjects++ });
  const newcomer = await flow.signIn('github', { as });
  t.equal(newcomer.query.get('error_code'), 'provider_email_needs_verification');
  t.equal(newcomer.fragment.get('access_token'), null);
  const { rows } = await database.admin.query('select provider from identities where user_id = $1', [owner.user.id]);
  t.same(rows, [{ provider: 'email' }]);

  const fresh = freshEmail();
  const maker = flow.providers.person('gitlab', { email: fresh, isVerified: false, subject: subjects++ });
  const made = await flow.signIn('gitlab', { as: maker });
  const { sub } = claimsOf(made.fragment.get('access_token'));
  t.equal(claimsOf((await flow.signIn('gitlab', { as: maker })).fragment.get('access_token')).sub, sub, 'and again');
  const other = await flow.signIn('github', {
    as: flow.providers.person('github', { email: fresh, isVerified: false, subject: subjects++ }),
  });
  t.equal(other.fragment.get('access_token'), null, 'another identity with that address does not get in');
});
