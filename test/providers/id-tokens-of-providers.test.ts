/** ID tokens of the providers that give them out, redeemed directly (reference/providers.md 7.2). */
import t from 'tap';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { openRoom } from '../support/sign-in.js';

const names = ['apple', 'azure', 'facebook', 'google', 'keycloak', 'snapchat'] as const;
const fake = await openFakeProviders(t);
const settings = Object.entries(fake.settings(names)).map(([key, value]) => [`AUTH_${key}`, value]);
const room = await openRoom(Object.fromEntries(settings));

const redeem = (provider: string, idToken: string) =>
  room.verifyIdToken({ idToken, provider, accessToken: '', nonce: '', clientId: '', issuer: '' });

for (const name of names) {
  t.test(`${name}: its token names a person, that of a neighbour nobody`, async (t) => {
    const claims = { sub: 'u1', email: 'ann@example.com', email_verified: true };
    const { provider, profile } = await redeem(name, await fake.idToken(name, claims));
    t.equal(provider, name);
    t.equal(profile.subject, 'u1');
    t.strictSame(profile.addresses, [{ email: 'ann@example.com', isVerified: true, isPrimary: true }]);

    const neighbour = names[(names.indexOf(name) + 1) % names.length]!;
    await t.rejects(redeem(name, await fake.idToken(neighbour, claims)), { name: 'Refusal' });
    await t.rejects(redeem(name, await fake.idToken(name, { ...claims, aud: 'other' })), { name: 'Refusal' });
    await t.rejects(redeem(name, await fake.idToken(name, { ...claims, sub: '' })), { name: 'Refusal' });
  });
}
