import { provider } from '../../src/server/providers/keycloak.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { t } from '../support/tap.js';

const REALM = 'https://keycloak.example.com/realms/main';
const USER_INFO = `${REALM}/protocol/openid-connect/userinfo`;
const user = {
  sub: 'kc1',
  name: 'Key C',
  email: 'kc@example.com',
  email_verified: true,
  preferred_username: 'kc',
  groups: ['a'],
};
const read = async (answer: object) =>
  (await readRecorded(provider, { url: REALM, answers: { [USER_INFO]: answer } })).profile;

t.test('keycloak: the recorded answer', async (t) => {
  t.strictSame(await read(user), {
    subject: 'kc1',
    claims: {
      iss: REALM,
      sub: 'kc1',
      name: 'Key C',
      full_name: 'Key C',
      provider_id: 'kc1',
      custom_claims: { preferred_username: 'kc', groups: ['a'] },
    },
    addresses: [{ email: 'kc@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('keycloak: a minimal profile, unverified', async (t) => {
  for (const email_verified of [false, 'false', 'True', 1, 0, null, undefined]) {
    t.strictSame(await read({ sub: 'kc2', email: 'kc@example.com', email_verified }), {
      subject: 'kc2',
      claims: { iss: REALM, sub: 'kc2', provider_id: 'kc2', custom_claims: {} },
      addresses: [{ email: 'kc@example.com', isVerified: false, isPrimary: true }],
    });
  }
  t.strictSame((await read({ sub: 'kc2', email_verified: true })).addresses, []);
});

t.test('keycloak: a profile without an id is refused', async (t) => {
  await refusesSubjects(t, provider, (sub) => ({ url: REALM, answers: { [USER_INFO]: { ...user, sub } } }));
});

t.test('keycloak: endpoints of the realm', async (t) => {
  t.strictSame(provider.endpoints(REALM), {
    authorization: `${REALM}/protocol/openid-connect/auth`,
    token: `${REALM}/protocol/openid-connect/token`,
    api: REALM,
  });
});

t.test('keycloak: ID tokens have standard claims', async (t) => {
  const { idTokens } = provider;
  t.equal(idTokens?.issuer(REALM), REALM);
  const claims = {
    iss: REALM,
    sub: 'kc1',
    aud: 'cid',
    iat: 1700000000,
    exp: 1700000600,
    azp: 'cid',
    name: 'Key C',
    preferred_username: 'kc',
    email: 'kc@example.com',
    email_verified: true,
  };
  t.strictSame(idTokens?.readClaims(claims, REALM, REALM), {
    subject: 'kc1',
    claims: {
      iss: REALM,
      sub: 'kc1',
      aud: ['cid'],
      iat: 1700000000,
      exp: 1700000600,
      name: 'Key C',
      preferred_username: 'kc',
      provider_id: 'kc1',
    },
    addresses: [{ email: 'kc@example.com', isVerified: true, isPrimary: true }],
  });
  const flags = [true, 'true', false, 'false', '', 1, 0, null, undefined].map((email_verified) => {
    return idTokens!.readClaims({ ...claims, email_verified }, REALM, REALM).addresses[0]!.isVerified;
  });
  t.strictSame(flags, [true, true, ...Array<boolean>(7).fill(false)], 'a boolean may be text, and no number');
});
