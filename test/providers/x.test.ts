import { provider } from '../../src/server/providers/x.js';
import { readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { beginSignIn, findProvider, loadProviders, providerSettings } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const ME = 'https://api.x.com/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at';
const user = {
  id: '2244994945',
  name: 'X Dev',
  username: 'TwitterDev',
  confirmed_email: 'dev@example.com',
  profile_image_url: 'https://pbs.twimg.com/profile_images/1/a_normal.jpg',
  url: 'https://t.co/3ZX3TNiZCY',
  created_at: '2013-12-14T04:35:55.000Z',
};
const read = async (data: unknown) => (await readRecorded(provider, { answers: { [ME]: { data } } })).profile;

t.test('x: the recorded answer', async (t) => {
  t.strictSame(await read(user), {
    subject: '2244994945',
    claims: {
      iss: 'https://api.x.com',
      sub: '2244994945',
      name: 'X Dev',
      full_name: 'X Dev',
      preferred_username: 'TwitterDev',
      user_name: 'TwitterDev',
      profile: 'https://x.com/TwitterDev',
      website: 'https://t.co/3ZX3TNiZCY',
      picture: 'https://pbs.twimg.com/profile_images/1/a_normal.jpg',
      avatar_url: 'https://pbs.twimg.com/profile_images/1/a_normal.jpg',
      provider_id: '2244994945',
      custom_claims: { created_at: '2013-12-14T04:35:55.000Z' },
    },
    addresses: [{ email: 'dev@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('x: a minimal profile, and one without an id', async (t) => {
  t.strictSame(await read({ id: '1' }), {
    subject: '1',
    claims: { iss: 'https://api.x.com', sub: '1', provider_id: '1', custom_claims: { created_at: '' } },
    addresses: [],
  });
  await refusesSubjects(t, provider, (id) => ({ answers: { [ME]: { data: { ...user, id } } } }));
});

t.test('x: PKCE, the scopes that an address needs, and those of the caller', async (t) => {
  const x = await findProvider(await loadProviders(providerSettings('x', '')), 'x');
  const { url } = await beginSignIn(x, { scopes: 'like.read' });
  t.equal(url.origin + url.pathname, 'https://x.com/i/oauth2/authorize');
  t.equal(url.searchParams.get('scope'), 'users.email tweet.read users.read offline.access like.read');
  t.equal(url.searchParams.get('code_challenge_method'), 'S256');
  t.strictSame(provider.endpoints('http://localhost:1'), {
    authorization: 'http://localhost:1/i/oauth2/authorize',
    token: 'http://localhost:1/2/oauth2/token',
    api: 'http://localhost:1',
  });
  t.equal(provider.endpoints(null).token, 'https://api.x.com/2/oauth2/token');
});
