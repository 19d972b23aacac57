import { type ProviderName, providerNames } from '../../src/server/config/settings/external.js';
import { type ExternalFlow, openExternalFlow } from '../support/external-flow.js';
import type { Person } from '../support/fake-providers/contract.js';
import { freshEmail } from '../support/server.js';
import { type Test, t } from '../support/tap.js';
import { words } from '../support/words.js';

/** Providers that report whether an address is verified; the others verify all of theirs. */
const reportsVerified: readonly string[] = words(`
  azure bitbucket discord github gitlab google kakao keycloak linkedin_oidc slack_oidc zoom
`);
/** Providers that verify no address, so a mail has to confirm it. */
const neverVerified: readonly ProviderName[] = ['spotify'];

const flow = await openExternalFlow(t, providerNames);
let counter = 7000;

/** A new user at a provider; the id is a number where the provider's ids are numbers. */
function newPerson(name: ProviderName, differences: Partial<Person> = {}) {
  const counts = name === 'github' || name === 'gitlab' || name === 'kakao';
  const subject = counts ? ++counter : `${name}-${++counter}`;
  const email = freshEmail();
  return { email, subject: String(subject), as: flow.providers.person(name, { email, subject, ...differences }) };
}

const countUsers = async (): Promise<number> =>
  (await flow.database.admin.query('select count(*)::int as count from users')).rows[0].count;

async function signsIn(t: Test, name: ProviderName, as: string) {
  const landing = await flow.signIn(name, { as });
  t.equal(landing.status, 302);
  t.equal(landing.fragment.get('provider'), name, landing.location.href);
  t.ok(landing.fragment.get('provider_token'), 'with the token of the provider');
  const { body } = await flow.call('GET', '/user', { bearer: landing.fragment.get('access_token') ?? '' });
  return body;
}

async function isRefused(t: Test, flow: ExternalFlow, name: ProviderName, as: string, code: string) {
  const before = await countUsers();
  const landing = await flow.signIn(name, { as });
  t.equal(landing.query.get('error_code'), code, landing.location.href);
  t.equal(landing.query.get('error'), 'access_denied');
  t.notOk(landing.fragment.get('access_token'));
  t.equal(await countUsers(), before, 'no account was created');
}

for (const name of providerNames) {
  t.test(`${name}: sign-up, sign-in, automatic linking, an unverified address of another user`, async (t) => {
    const { email, subject, as } = newPerson(name);
    if (neverVerified.includes(name)) {
      await isRefused(t, flow, name, as, 'provider_email_needs_verification');
      const confirmed = await flow.follow((await flow.nextMail(email)).link!);
      t.ok(confirmed.fragment.get('access_token'), 'the mail creates the account');
    }
    const first = await signsIn(t, name, as);
    t.equal(first.email, email);
    t.ok(first.email_confirmed_at);
    t.match(first.app_metadata, { provider: name, providers: [name] });
    t.equal(first.identities.length, 1);
    t.equal(first.identities[0].provider, name);
    t.ok(first.identities[0].id.includes(subject), `${first.identities[0].id} is the id at the provider`);
    const email_verified = !neverVerified.includes(name);
    t.match(first.identities[0].identity_data, { sub: first.identities[0].id, email, email_verified });

    const again = await signsIn(t, name, as);
    t.equal(again.id, first.id, 'the same account');
    t.equal(again.identities.length, 1);

    const owner = freshEmail();
    await flow.post('/signup', { email: owner, password: 'correct horse battery' });
    const token = (await flow.nextMail(owner)).code;
    const { body: held } = await flow.post('/verify', { type: 'signup', email: owner, token });
    if (!neverVerified.includes(name)) {
      const linked = await signsIn(t, name, newPerson(name, { email: owner }).as);
      t.equal(linked.id, held.user.id, 'linked by the verified address');
      t.same(linked.app_metadata.providers, ['email', name]);
    }
    if (reportsVerified.includes(name) || neverVerified.includes(name)) {
      const impostor = newPerson(name, { email: owner, isVerified: false });
      await isRefused(t, flow, name, impostor.as, 'provider_email_needs_verification');
      t.equal(await flow.mailsTo(owner), 1, 'the owner gets no mail');
    }
  });
}
