import { createHash, randomBytes } from 'node:crypto';
import { claimsOf, openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a new user signs in with github, twice', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const email = freshEmail();
  const as = flow.providers.person('github', { email, subject: 4711 });

  const first = await flow.signIn('github', { as });
  t.equal(first.status, 302);
  t.equal(first.location.origin, 'http://localhost:3000');
  t.same(
    [...first.fragment.keys()],
    ['access_token', 'expires_at', 'expires_in', 'provider', 'provider_token', 'refresh_token', 'sb', 'token_type'],
  );
  t.equal(first.fragment.get('provider'), 'github');
  t.equal(first.query.size, 0);

  const bearer = first.fragment.get('access_token') ?? '';
  const { body: user } = await flow.call('GET', '/user', { bearer });
  t.match(user, {
    email,
    role: 'authenticated',
    aud: 'authenticated',
    app_metadata: { provider: 'github', providers: ['github'] },
    user_metadata: { sub: '4711', provider_id: '4711', email, email_verified: true, phone_verified: false },
    identities: [{ id: '4711', provider: 'github', email, identity_data: { sub: '4711', email_verified: true } }],
  });
  t.ok(user.email_confirmed_at);
  t.match(claimsOf(bearer)['amr'], [{ method: 'oauth' }]);

  const again = await flow.signIn('github', { as });
  t.equal(claimsOf(again.fragment.get('access_token')).sub, user.id);
  const { rows } = await flow.database.admin.query(
    `select payload ->> 'action' as action from audit_log order by created_at`,
  );
  t.same(
    rows.map(({ action }) => action),
    ['user_signedup', 'login'],
  );
  const refreshed = await flow.post('/token?grant_type=refresh_token', {
    refresh_token: again.fragment.get('refresh_token'),
  });
  t.equal(refreshed.status, 200);
});

t.test('with PKCE the browser gets a code, which is exchanged once', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = {
    code_challenge: challenge,
    code_challenge_method: 's256',
    redirect_to: 'https://app.example.com/in?a=b#there',
  };
  flow.providers.person('github', { email: freshEmail(), subject: 4712 });
  const landing = await flow.signIn('github', { query });
  t.equal(landing.location.origin + landing.location.pathname, 'https://app.example.com/in');
  t.equal(landing.query.get('a'), 'b');
  t.equal(landing.location.hash, '');
  const code = landing.query.get('code') ?? '';

  const { rows } = await flow.database.admin.query('select * from flow_states');
  t.notOk(JSON.stringify(rows).includes(code), 'the code is not stored');

  const exchange = (code_verifier: string) => flow.post('/token?grant_type=pkce', { auth_code: code, code_verifier });
  t.match(await exchange(`${verifier.slice(0, -1)}~`), { status: 400, body: { error_code: 'bad_code_verifier' } });
  const tokens = await exchange(verifier);
  t.match(tokens, { status: 200, body: { token_type: 'bearer', user: { app_metadata: { provider: 'github' } } } });
  t.ok(tokens.body.provider_token);
  const sealed = rows[0].provider_access_token;
  t.ok(sealed && sealed !== tokens.body.provider_token, "the provider's token is not stored as it is");
  t.match(claimsOf(tokens.body.access_token)['amr'], [{ method: 'oauth' }]);
  t.match(await exchange(verifier), { status: 404, body: { error_code: 'flow_state_not_found' } });
});

t.test('GET /authorize: API errors', async (t) => {
  const { providers, ...flow } = await openExternalFlow(t, ['github'], {
    EXTERNAL_GITLAB_ENABLED: 'true',
    EXTERNAL_KEYCLOAK_ENABLED: 'true',
    EXTERNAL_KEYCLOAK_CLIENT_ID: 'cid',
    EXTERNAL_KEYCLOAK_SECRET: 'secret',
    EXTERNAL_KEYCLOAK_REDIRECT_URI: 'http://localhost:9999/callback',
  });
  const invalid = [400, 'validation_failed'] as const;
  const expected: [query: string, status: number, code: string, msg: string][] = [
    ['provider=Myspace', ...invalid, 'Unsupported provider: Provider myspace could not be found'],
    ['', ...invalid, 'Unsupported provider: Provider  could not be found'],
    ['provider=twitch', ...invalid, 'Unsupported provider: provider is not enabled'],
    ['provider=gitlab', ...invalid, 'Unsupported provider: missing OAuth client ID'],
    ['provider=keycloak', ...invalid, 'Unsupported provider: unable to find URL for the Keycloak provider'],
    ['provider=github&invite_token=abc', 404, 'user_not_found', 'User identified by token not found'],
    ['provider=github&code_challenge=abc', ...invalid, 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      `provider=github&code_challenge_method=md5&code_challenge=${'a'.repeat(43)}`,
      ...invalid,
      'Invalid code_challenge_method',
    ],
  ];
  for (const [query, status, error_code, msg] of expected) {
    t.match(await flow.call('GET', `/authorize?${query}`), { status, body: { code: status, error_code, msg } }, query);
  }
  const browser = flow.openBrowser();
  const { status, location } = await browser.leave('GitHub', { scopes: 'repo,read:org', client_id: 'evil', hd: 'x' });
  t.equal(status, 302);
  const url = new URL(location);
  t.equal(url.origin + url.pathname, `${providers.urlOf('github')}/login/oauth/authorize`);
  t.equal(url.searchParams.get('scope'), 'user:email repo read:org');
  t.not(url.searchParams.get('client_id'), 'evil');
  t.equal(url.searchParams.get('hd'), 'x');
  t.equal(url.searchParams.get('redirect_uri'), 'http://localhost:9999/callback');
  const landing = await browser.comeBack(await providers.signIn(location));
  t.equal(landing.fragment.get('provider'), 'github');
  const { body } = await flow.call('GET', '/user', { bearer: landing.fragment.get('access_token') ?? '' });
  t.equal(body.identities[0].provider, 'github', 'stored in lower case');
});

t.test('an error of the provider is passed on unchanged', async (t) => {
  const flow = await openExternalFlow(t, ['github']);
  const landing = await flow.signIn('github', {
    decision: 'deny',
    errorDescription: 'The user has denied',
    query: { redirect_to: 'https://app.example.com/x?keep=1' },
  });
  t.equal(landing.status, 302);
  for (const parameters of [landing.query, landing.fragment]) {
    t.equal(parameters.get('error'), 'access_denied');
    t.equal(parameters.get('error_description'), 'The user has denied');
    t.equal(parameters.get('error_code'), null);
  }
  t.equal(landing.query.get('keep'), '1');
});

t.test('DISABLE_SIGNUP admits known and invited users', async (t) => {
  const flow = await openExternalFlow(t, ['github'], { DISABLE_SIGNUP: 'true' });
  const as = flow.providers.person('github', { email: freshEmail(), subject: 81 });
  const landing = await flow.signIn('github', { as });
  t.equal(landing.query.get('error'), 'access_denied');
  t.equal(landing.query.get('error_code'), 'signup_disabled');
  t.equal(landing.query.get('error_description'), 'Signups not allowed for this instance');
  t.equal(
    landing.query.toString(),
    landing.location.hash.slice(1).replace('&sb=', ''),
    'in the fragment as in the query',
  );
  const { rows } = await flow.database.admin.query('select from users');
  t.equal(rows.length, 0, 'no account was created');
});
