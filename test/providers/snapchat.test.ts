import { provider } from '../../src/server/providers/snapchat.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const ME =
  'https://kit.snapchat.com/v1/me?query=%7Bme+%7B+externalId+displayName+bitmoji+%7B+avatar+id+%7D+email+%7D+%7D';
const ISSUER = 'https://accounts.snapchat.com/accounts/oauth2/token';
const me = {
  externalId: 'sn1',
  displayName: 'Sna P',
  bitmoji: { avatar: 'http://img/sn.png' },
  email: 'sn@example.com',
};

t.test('snapchat: the recorded answer', async (t) => {
  const { profile } = await readRecorded(provider, { answers: { [ME]: { data: { me } } } });
  t.strictSame(profile, {
    subject: 'sn1',
    claims: {
      iss: ISSUER,
      sub: 'sn1',
      name: 'Sna P',
      full_name: 'Sna P',
      slug: 'Sna P',
      picture: 'http://img/sn.png',
      avatar_url: 'http://img/sn.png',
      provider_id: 'sn1',
    },
    addresses: [{ email: 'sn@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('snapchat: without an address or an avatar, as most are', async (t) => {
  for (const sparse of [{ externalId: 'sn2' }, { externalId: 'sn2', bitmoji: null, email: '' }]) {
    const { profile } = await readRecorded(provider, { answers: { [ME]: { data: { me: sparse } } } });
    t.strictSame(profile, { subject: 'sn2', claims: { iss: ISSUER, sub: 'sn2', provider_id: 'sn2' }, addresses: [] });
  }
});

t.test('snapchat: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (externalId) => ({ answers: { [ME]: { data: { me: { ...me, externalId } } } } }));
  await refusesSubjects(t, provider, () => ({ answers: { [ME]: { errors: [{ message: 'denied' }] } } }));
});

t.test('snapchat: the default hosts, or the configured one', async (t) => {
  t.strictSame(provider.endpoints(null), {
    authorization: 'https://accounts.snapchat.com/accounts/oauth2/auth',
    token: ISSUER,
    api: 'https://kit.snapchat.com',
  });
  t.equal(provider.endpoints('http://localhost:1').api, 'http://localhost:1');
});

t.test('snapchat: ID tokens, whose addresses count as verified', async (t) => {
  const { idTokens } = provider;
  t.equal(idTokens?.issuer(null), ISSUER);
  t.equal(idTokens?.issuer('http://localhost:1'), 'http://localhost:1/accounts/oauth2/token');
  const claims = { iss: ISSUER, sub: 'sn1', aud: ['cid'], iat: 1, exp: 2, name: 'Sna P', email: 'sn@example.com' };
  t.strictSame(idTokens?.readClaims(claims, ISSUER, null), {
    subject: 'sn1',
    claims: { iss: ISSUER, sub: 'sn1', aud: ['cid'], iat: 1, exp: 2, name: 'Sna P', provider_id: 'sn1' },
    addresses: [{ email: 'sn@example.com', isVerified: true, isPrimary: true }],
  });
});
