import { provider } from '../../src/server/providers/kakao.js';
import { openFakeProviders } from '../support/fake-providers/index.js';
import { badNumbers, readRecorded, refusesSubjects } from '../support/recorded-profile.js';
import { beginSignIn, endSignIn, findProvider, loadProviders } from '../support/sign-in.js';
import { t } from '../support/tap.js';

const ME = 'https://kapi.kakao.com/v2/user/me';
const account = {
  profile: { nickname: 'Ka K', profile_image_url: 'http://img/k.png', is_default_image: false },
  email: 'k@example.com',
  is_email_valid: true,
  is_email_verified: true,
};
const read = async (json: unknown) => (await readRecorded(provider, { answers: { [ME]: json } })).profile;
const claims = {
  sub: '4711',
  name: 'Ka K',
  full_name: 'Ka K',
  preferred_username: 'Ka K',
  user_name: 'Ka K',
  picture: 'http://img/k.png',
  avatar_url: 'http://img/k.png',
  provider_id: '4711',
};
const addresses = [{ email: 'k@example.com', isVerified: true, isPrimary: true }];

t.test('kakao: the recorded answer', async (t) => {
  t.strictSame(await read({ id: 4711, connected_at: '2022-04-11T01:45:28Z', kakao_account: account }), {
    subject: '4711',
    claims: { iss: 'https://kapi.kakao.com', ...claims },
    addresses: [{ email: 'k@example.com', isVerified: true, isPrimary: true }],
  });
});

t.test('kakao: an address counts as verified with both flags only', async (t) => {
  for (const flags of [
    { is_email_valid: false },
    { is_email_verified: false },
    { is_email_valid: undefined },
    { is_email_verified: 'false' },
  ]) {
    const { addresses } = await read({ id: 1, kakao_account: { ...account, ...flags } });
    t.match(addresses, [{ isVerified: false }], JSON.stringify(flags));
  }
  t.strictSame((await read({ id: 1 })).addresses, []);
});

t.test('kakao: a profile without an id is refused', async (t) => {
  const recordingOf = (id: unknown) => ({ answers: { [ME]: { id, kakao_account: account } } });
  await refusesSubjects(t, provider, recordingOf, badNumbers);
});

t.test('kakao: claims of an ID token', async (t) => {
  const { idTokens } = provider;
  t.equal(idTokens!.issuer(null), 'https://kauth.kakao.com');
  const token = { iss: 'https://kauth.kakao.com', sub: '4711', nickname: 'Ka K', picture: 'http://img/k.png' };
  const read = (more: object) => idTokens!.readClaims({ ...token, email: 'k@example.com', ...more }, token.iss, null);
  const said = { subject: '4711', claims: { iss: token.iss, ...claims }, addresses };
  t.strictSame(read({ email_verified: true }), said);
  t.match(read({}).addresses, [{ isVerified: false }], 'an ID token says nothing of the two flags');
});

t.test('kakao: the client is named in the form, at once', async (t) => {
  const fake = await openFakeProviders(t);
  const settings = Object.entries(fake.settings('kakao')).map(([key, value]) => [`AUTH_${key}`, value]);
  const kakao = await findProvider(await loadProviders(Object.fromEntries(settings)), 'kakao');
  const { url } = await beginSignIn(kakao, { scopes: 'birthday' });
  t.equal(url.searchParams.get('scope'), 'account_email profile_image profile_nickname birthday');
  const { fields } = await fake.signIn(url.href);
  t.match(await endSignIn(kakao, fields), { profile: { subject: '7' } });
  const exchanges = fake.requests.filter(({ path }) => path === '/oauth/token');
  t.equal(exchanges.length, 1);
  t.equal(exchanges[0]!.headers['authorization'], undefined);
});
