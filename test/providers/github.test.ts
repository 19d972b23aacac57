import { createHash } from 'node:crypto';
import {
  beginSignIn,
  CODE_VERIFIER,
  endSignIn,
  findProvider,
  loadProviders,
  providerSettings,
  STATE,
} from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const token = { access_token: 'tok1', token_type: 'bearer', refresh_token: 'rt1' };
const user = { id: 123, login: 'octo', name: 'Octo C', email: null, avatar_url: 'http://img/gh.png' };
const emails = [
  { email: 'gh@example.com', primary: true, verified: true },
  { email: 'alt@example.com', primary: false, verified: true },
];

t.test('github: the browser is sent with PKCE, and the permitted parameters of the caller', async (t) => {
  const github = await findProvider(await loadProviders(providerSettings('github', '')), 'GitHub');
  const { url, providerState } = await beginSignIn(github, {
    provider: 'github',
    scopes: 'repo,gist',
    redirect_to: 'http://localhost:3000',
    login_hint: 'ann b',
    State: 'forged',
    client_id: 'forged',
    code_challenge: 'forged',
    workos_provider: 'GoogleOAuth',
    request: 'forged',
  });
  t.equal(url.origin + url.pathname, 'https://github.com/login/oauth/authorize');
  const challenge = createHash('sha256').update(CODE_VERIFIER).digest('base64url');
  t.equal(
    url.search,
    `?client_id=cid&code_challenge=${challenge}&code_challenge_method=S256&login_hint=ann+b&provider=GoogleOAuth` +
      '&redirect_uri=http%3A%2F%2Flocalhost%2Fcallback&response_type=code' +
      `&scope=user%3Aemail+repo+gist&state=${STATE}`,
  );
  t.equal(providerState, null);
});

t.test('github: a code becomes a profile with every address', async (t) => {
  const server = await startStubServer(t);
  server.answers.set('/login/oauth/access_token', { body: token });
  server.answers.set('/api/v3/user', { body: user });
  server.answers.set('/api/v3/user/emails', { body: emails });
  const github = await findProvider(await loadProviders(providerSettings('github', server.url)), 'github');
  t.same(await endSignIn(github), {
    profile: {
      subject: '123',
      claims: {
        iss: `${server.url}/api/v3`,
        sub: '123',
        name: 'Octo C',
        full_name: 'Octo C',
        preferred_username: 'octo',
        user_name: 'octo',
        avatar_url: 'http://img/gh.png',
        provider_id: '123',
      },
      addresses: [
        { email: 'gh@example.com', isVerified: true, isPrimary: true },
        { email: 'alt@example.com', isVerified: true, isPrimary: false },
      ],
    },
    accessToken: 'tok1',
    refreshToken: 'rt1',
  });
  const [exchange, profile] = server.requests;
  t.equal(exchange!.headers.authorization, `Basic ${Buffer.from('cid:the-secret').toString('base64')}`);
  t.same(Object.fromEntries(exchange!.form), {
    grant_type: 'authorization_code',
    code: 'code-1234',
    redirect_uri: 'http://localhost/callback',
    code_verifier: CODE_VERIFIER,
  });
  t.equal(profile!.headers.authorization, 'Bearer tok1');
});

t.test('github: errors of the provider', async (t) => {
  const github = await findProvider(await loadProviders(providerSettings('github', '')), 'github');
  t.same(await endSignIn(github, { error: 'access_denied', error_description: 'The user said no' }), {
    refused: { error: 'access_denied', description: 'The user said no' },
  });
  await t.rejects(endSignIn(github, {}), { message: /missing authorization code/ });
});

t.test('why a provider cannot be used', async (t) => {
  const reason = async (environment: Record<string, string>, name: string) =>
    (await (await loadProviders(environment)).find(name)) as { unusable: string };
  const on = (more: Record<string, string>) => providerSettings('github', '', more);
  t.same(await reason({}, 'unknown'), { unusable: 'Provider unknown could not be found' });
  t.same(await reason({}, 'Constructor'), { unusable: 'Provider constructor could not be found' });
  t.same(await reason({}, 'github'), { unusable: 'provider is not enabled' });
  t.same(await reason(on({ CLIENT_ID: '' }), 'github'), { unusable: 'missing OAuth client ID' });
  t.same(await reason(on({ SECRET: '' }), 'github'), { unusable: 'missing OAuth secret' });
  t.same(await reason(on({ REDIRECT_URI: '' }), 'github'), { unusable: 'missing redirect URI' });
  t.equal((await loadProviders(on({ SECRET: '' }))).switches['github'], true);
});
