/** ID tokens of the providers that issue them, redeemed by the id_token grant. */

import { openFakeProviders } from '../support/fake-providers/index.js';
import { loadProviders, redeemIdToken } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const names = ['apple', 'azure', 'facebook', 'google', 'kakao', 'keycloak', 'linkedin_oidc', 'snapchat'] as const;
const fake = await openFakeProviders(t);
const settings = Object.entries(fake.settings(names)).map(([key, value]) => [`AUTH_${key}`, value]);
const providers = await loadProviders(Object.fromEntries(settings));

const redeem = (provider: string, idToken: string) => redeemIdToken(providers, { idToken, provider });

for (const name of names) {
  t.test(`${name}: its own token is accepted, one of another provider is not`, async (t) => {
    const claims = { sub: 'u1', email: 'ann@example.com', email_verified: true };
    const { provider, profile } = await redeem(name, await fake.idToken(name, claims));
    t.equal(provider, name);
    t.equal(profile.subject, 'u1');
    t.strictSame(profile.addresses, [{ email: 'ann@example.com', isVerified: true, isPrimary: true }]);

    const other = names[(names.indexOf(name) + 1) % names.length]!;
    await t.rejects(redeem(name, await fake.idToken(other, claims)), { name: 'ApiError' });
    await t.rejects(redeem(name, await fake.idToken(name, { ...claims, aud: 'other' })), { name: 'ApiError' });
    await t.rejects(redeem(name, await fake.idToken(name, { ...claims, sub: '' })), { name: 'ApiError' });
  });
}
