import { provider } from '../../src/server/providers/linkedin-oidc.js';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { beginSignIn, endSignIn, findProvider, loadProviders } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const ISSUER = 'https://www.linkedin.com/oauth';
const token = {
  iss: ISSUER,
  aud: 'cid',
  sub: '782bbtaQ',
  name: 'John Doe',
  given_name: 'John',
  family_name: 'Doe',
  picture: 'https://media.licdn-ei.com/dms/image/1',
  locale: 'en_US',
  email: 'doe@email.com',
  email_verified: 'true',
};
const read = (more: object) => provider.idTokens.readClaims({ ...token, ...more }, ISSUER, null);

t.test('linkedin_oidc: the recorded claims', async (t) => {
  t.strictSame(read({}), {
    subject: '782bbtaQ',
    claims: {
      iss: ISSUER,
      sub: '782bbtaQ',
      name: 'John Doe',
      full_name: 'John Doe',
      given_name: 'John',
      family_name: 'Doe',
      locale: 'en_US',
      picture: 'https://media.licdn-ei.com/dms/image/1',
      avatar_url: 'https://media.licdn-ei.com/dms/image/1',
      provider_id: '782bbtaQ',
    },
    addresses: [{ email: 'doe@email.com', isVerified: true, isPrimary: true }],
  });
  t.equal(read({ given_name: undefined, family_name: undefined }).claims['name'], 'John Doe');
  for (const email_verified of ['false', false, undefined]) {
    t.match(read({ email_verified }), { addresses: [{ isVerified: false }] }, String(email_verified));
  }
});

async function openLinkedin() {
  const fake = await openFakeProviders(t);
  const settings = Object.entries(fake.settings('linkedin_oidc')).map(([key, value]) => [`AUTH_${key}`, value]);
  const linkedin = await findProvider(await loadProviders(Object.fromEntries(settings)), 'LinkedIn_OIDC');
  const signIn = async (claims: Record<string, unknown> | null) => {
    const { url, providerState } = await beginSignIn(linkedin);
    const idToken = claims && (await fake.idToken('linkedin_oidc', { ...token, iss: undefined, ...claims }));
    const as = fake.person('linkedin_oidc', { answers: { idToken } });
    const { fields } = await fake.signIn(url.href, { as });
    return endSignIn(linkedin, fields, providerState);
  };
  return { fake, linkedin, signIn };
}

t.test('linkedin_oidc: neither nonce nor PKCE is sent; the token endpoint is that of its API', async (t) => {
  const { fake, linkedin, signIn } = await openLinkedin();
  const { url, providerState } = await beginSignIn(linkedin, { scopes: 'w_member_social' });
  t.equal(url.pathname, '/linkedin_oidc/oauth/v2/authorization');
  t.equal(url.searchParams.get('scope'), 'openid email profile w_member_social');
  t.same([url.searchParams.get('nonce'), url.searchParams.get('code_challenge'), providerState], [null, null, null]);
  const own = { iss: fake.issuerOf('linkedin_oidc'), aud: 'linkedin_oidc-client' };
  t.match(await signIn(own), { profile: { subject: '782bbtaQ' } });
  t.ok(fake.requests.some(({ path }) => path === '/oauth/v2/accessToken'));

  const refused = { message: /getting user profile/ };
  await t.rejects(signIn({ ...own, aud: 'other' }), refused, 'of another client');
  await t.rejects(signIn({ ...own, iss: 'https://www.linkedin.com' }), refused, 'of another issuer');
  await t.rejects(signIn({ ...own, nonce: 'of another sign-in' }), refused, 'of another sign-in');
  await t.rejects(signIn(null), refused, 'no ID token');
});

t.test('linkedin_oidc: the public hosts', async (t) => {
  t.equal(provider.idTokens.issuer(null), ISSUER);
  t.equal(provider.authorizationEndpoint!(null), 'https://api.linkedin.com/oauth/v2/authorization');
  t.equal(provider.tokenEndpoint!(null), 'https://api.linkedin.com/oauth/v2/accessToken');
});
