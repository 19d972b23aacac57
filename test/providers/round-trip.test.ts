/** A whole sign-in at every provider, against a fake that uses the real format. */

import { providerNames } from '../../src/server/config/settings/external.js';
import type { ExternalGrant, ProviderDenial } from '../../src/server/providers/contract.js';
import { type FakeProviders, fakeProviders, openFakeProviders } from '../support/fake-providers/index.js';
import { beginSignIn, endSignIn, findProvider, loadProviders } from '../support/sign-in.js';
import { t } from '../support/tap.js';

type Name = (typeof providerNames)[number];

const names = providerNames.filter((name) => name in fakeProviders);

async function openSignIn(name: Name, more: Record<string, string> = {}) {
  const settings = Object.entries({ ...fake.settings(name), ...more });
  const providers = await loadProviders(Object.fromEntries(settings.map(([key, value]) => [`AUTH_${key}`, value])));
  const provider = await findProvider(providers, name);
  return async (options: Parameters<FakeProviders['signIn']>[1] = {}) => {
    const { url, providerState } = await beginSignIn(provider);
    const { fields } = await fake.signIn(url.href, options);
    return endSignIn(provider, fields, providerState);
  };
}

function granted(answer: ExternalGrant | ProviderDenial): ExternalGrant {
  if ('refused' in answer) throw new Error(answer.refused.error);
  return answer;
}

const fake = await openFakeProviders(t);

for (const name of names) {
  t.test(`${name}: the example user signs in`, async (t) => {
    const signIn = await openSignIn(name);
    const { profile, accessToken } = granted(await signIn());
    const { subject, email, isVerified } = fakeProviders[name]!.example;
    t.equal(profile.subject, String(subject));
    t.equal(profile.claims['provider_id'], String(subject));
    t.strictSame(
      profile.addresses.filter(({ isPrimary }) => isPrimary),
      [{ email, isVerified, isPrimary: true }],
    );
    t.match(accessToken, /^(tok|at)-/);
  });

  t.test(`${name}: another user, a denial, a missing id`, async (t) => {
    const signIn = await openSignIn(name);
    const isCounting = typeof fakeProviders[name]!.example.subject === 'number';
    const as = fake.person(name, { subject: isCounting ? 4711 : 'someone', email: 'some.one@example.com', others: [] });
    const { profile } = granted(await signIn({ as }));
    t.equal(profile.subject, isCounting ? '4711' : 'someone');
    t.strictSame(
      profile.addresses.map(({ email }) => email),
      ['some.one@example.com'],
    );
    const denial = (await signIn({ as, decision: 'deny' })) as ProviderDenial;
    t.equal(denial.refused.error, name === 'apple' ? 'user_cancelled_authorize' : 'access_denied');
    for (const subject of ['', null, 0, {}]) {
      await t.rejects(signIn({ as: fake.person(name, { subject }) }), { message: 'error missing provider id' });
    }
  });

  t.test(`${name}: a user without an address`, async (t) => {
    const as = fake.person(name, { email: null, others: [] });
    await t.rejects((await openSignIn(name))({ as }), { message: 'Error getting user email from external provider' });
    const optional = { [`EXTERNAL_${name.toUpperCase()}_EMAIL_OPTIONAL`]: 'true' };
    const { profile } = granted(await (await openSignIn(name, optional))({ as }));
    t.strictSame(profile.addresses, []);
  });
}
