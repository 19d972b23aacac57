import t from 'tap';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';

const password = 'correct horse battery';

let subjects = 9000;

t.test('SEC-83: an unverified address of a provider does not replace a pending sign-up', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab']);
  const { call } = flow;
  const email = freshEmail();
  await call('POST', '/otp', { body: { email, data: { name: 'Ann' } } });
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
  t.equal(await flow.mailsTo(email), 1, 'and no mail for the stranger, whose link would be dead');
});

t.test('SEC-83: nor that of another provider; the same identity asks again, and its owner may register', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab']);
  const { call } = flow;
  const email = freshEmail();
  const first = flow.providers.person('github', { email, isVerified: false, subject: subjects++ });
  const second = flow.providers.person('gitlab', { email, isVerified: false, subject: subjects++ });
  await flow.signIn('github', { as: first });
  await flow.nextMail(email);
  await flow.signIn('gitlab', { as: second });
  t.equal(await flow.mailsTo(email), 1);
  await flow.signIn('github', { as: first });
  await flow.nextMail(email);
  await call('POST', '/otp', { body: { email } });
  const landing = await flow.follow((await flow.nextMail(email)).link!);
  const { body: user } = await call('GET', '/user', { bearer: landing.fragment.get('access_token')! });
  t.same(
    user.identities.map((identity: { provider: string }) => identity.provider),
    ['email'],
  );
});

t.test('SEC-83: with autoconfirm it makes an account, and enters none', async (t) => {
  const flow = await openExternalFlow(t, ['github', 'gitlab'], { MAILER_AUTOCONFIRM: 'true' });
  const { call, database } = flow;
  const email = freshEmail();
  const { body: owner } = await call('POST', '/signup', { body: { email, password } });
  const as = flow.providers.person('github', { email, isVerified: false, subject: subjects++ });
  const stranger = await flow.signIn('github', { as });
  t.equal(stranger.query.get('error_code'), 'provider_email_needs_verification');
  t.equal(stranger.fragment.get('access_token'), null);
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
