import { providerNames } from '../../src/server/config/settings/external.js';
import type { OAuth2Spec } from '../../src/server/providers/contract.js';
import { makeCustomSpec } from '../../src/server/providers/custom.js';
import { findDeprecated } from '../../src/server/providers/deprecated.js';
import { listProviders } from '../../src/server/providers/index.js';
import { probeProvider } from '../../src/server/providers/probe.js';
import { makeDiscovery } from '../support/id-tokens.js';
import { startIssuer } from '../support/issuer.js';
import { runCommand } from '../support/run-command.js';
import { providerConfig, providerSettings } from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const complete = {
  AUTH_SITE_URL: 'https://app.example.com',
  AUTH_API_EXTERNAL_URL: 'http://localhost',
  AUTH_DB_DRIVER: 'postgres',
  DATABASE_URL: 'postgres://127.0.0.1/latchkey',
  AUTH_JWT_SECRET: 'a secret of more than thirty-two bytes',
};
const file = `${t.testdir({ 'empty.env': '' })}/empty.env`;

const check = (name: string, environment: Record<string, string>, ...more: string[]) =>
  runCommand(['check', 'provider', name, ...more], { ...complete, ...environment }, file);

const TOKEN = '/login/oauth/access_token';
const AUTHORIZE = '/login/oauth/authorize';

t.test('check provider: missing settings are named, and no request is sent', async (t) => {
  t.match(await check('unknown', {}), { code: 2, err: /There are apple, azure, .* slack_oidc, .* zoom\./ });
  t.match(await check('github', {}), {
    code: 1,
    out: /wrong {2}It is switched off: set AUTH_EXTERNAL_GITHUB_ENABLED=true/,
  });
  const lacking = providerSettings('keycloak', '', { SECRET: '' });
  const { code, out } = await check('Keycloak', lacking);
  t.equal(code, 1);
  t.match(out, /wrong {2}AUTH_EXTERNAL_KEYCLOAK_SECRET is missing\.\nwrong {2}AUTH_EXTERNAL_KEYCLOAK_URL is missing\./);
  t.match(out, /hint .*scopes=openid/);
});

t.test('check provider: plain OAuth, by the answer of the token endpoint to an invalid code', async (t) => {
  const server = await startStubServer(t);
  const github = providerSettings('github', server.url);
  server.answers.set(AUTHORIZE, { status: 302, headers: { location: 'https://elsewhere.example.com' }, body: '' });
  server.answers.set(TOKEN, { body: { error: 'bad_verification_code' } });
  const good = await check('github', github);
  t.match(good, { code: 0, out: /answers a code that it never gave out with "bad_verification_code", as it should/ });
  t.match(good.out, /hint .* letter by letter: http:\/\/localhost\/callback/);
  t.notMatch(good.out, /the-secret/);

  const cases: [unknown, RegExp][] = [
    [
      { status: 401, body: { error: 'invalid_client' } },
      /does not know AUTH_EXTERNAL_GITHUB_CLIENT_ID, or AUTH_EXTERNAL_GITHUB_SECRET/,
    ],
    [{ body: { error: 'incorrect_client_credentials' } }, /does not know AUTH_EXTERNAL_GITHUB_CLIENT_ID/],
    [{ body: { error: 'redirect_uri_mismatch' } }, /register AUTH_EXTERNAL_GITHUB_REDIRECT_URI at the provider/],
    [{ status: 404, body: '<h1>' }, /it is not the token endpoint\. Check AUTH_EXTERNAL_GITHUB_URL/],
    [{ body: '<h1>' }, /it is not the token endpoint/],
  ];
  for (const [answer, text] of cases) {
    server.answers.set(TOKEN, answer as { body: unknown });
    t.match(await check('github', github), { code: 1, out: text }, String(text));
  }
  server.answers.delete(AUTHORIZE);
  t.match((await check('github', github)).out, /wrong {2}Users are sent to .* answers with status 404/);

  const nowhere = providerSettings('github', 'http://127.0.0.1:1');
  const json = JSON.parse((await check('github', nowhere, '--json')).out) as { ok: boolean; findings: unknown[] };
  t.match(json, { ok: false, findings: [{ kind: 'wrong', text: /ECONNREFUSED/ }, { kind: 'wrong' }] });
});

t.test('check provider: OpenID Connect, by its document and keys', async (t) => {
  const it = await startIssuer(t);
  it.server.answers.set('/authorize', { body: 'a page' });
  it.server.answers.set('/token', { status: 400, body: { error: 'invalid_grant' } });
  const custom = {
    AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER: it.issuer,
    AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_CLIENT_ID: 'cid',
    AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_SECRET: 'the-secret',
  };
  const good = await check('custom:our-login', custom);
  t.match(good, { code: 0, out: /fine {3}The provider signs with 1 key/ });

  const path = '/.well-known/openid-configuration';
  it.server.answers.set(path, { body: makeDiscovery(`${it.issuer}/`) });
  const other = await check('custom:our-login', custom);
  t.match(other, {
    code: 1,
    out: /is about another issuer, "http.*\/"\. Check AUTH_EXTERNAL_CUSTOM_OUR_LOGIN_ISSUER\./,
  });
  it.server.answers.set(path, { body: makeDiscovery(it.issuer) });
  it.server.answers.set('/keys', { body: { keys: [] } });
  t.match(await check('custom:our-login', custom), { code: 1, out: /no ID token can be verified/ });
});

t.test('check provider: common mistakes', async (t) => {
  const it = await startIssuer(t);
  it.server.answers.set('/authorize', { body: 'a page' });
  it.server.answers.set('/token', { status: 400, body: { error: 'invalid_grant' } });
  const secret = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
  const now = Math.floor(Date.now() / 1000);
  const apple = (exp: number) => check('apple', providerSettings('apple', it.issuer, { SECRET: secret(exp) }));
  t.match(await apple(now + 10 * 86_400 + 60), { code: 0, out: /expires in 10 days/ });
  t.match(await apple(now - 60), { code: 1, out: /AUTH_EXTERNAL_APPLE_SECRET has expired/ });
  const common = providerSettings('azure', `${it.server.url}/common`, {
    REDIRECT_URI: 'http://other.example.com/callback',
  });
  const { out } = await check('azure', common);
  t.match(out, /xms_edov/);
  t.match(out, /AUTH_EXTERNAL_AZURE_REDIRECT_URI is not http:\/\/localhost\/callback/);
});

t.test('check provider: what a provider has deprecated', async (t) => {
  const deprecated: Record<string, string[]> = {};
  for (const { settings, load } of listProviders(providerConfig({}))) {
    const texts = findDeprecated(await load(), null).map(({ text }) => text);
    if (texts.length > 0) deprecated[settings.name] = texts;
    t.same(findDeprecated(await load(), 'http://127.0.0.1:1'), [], 'another server has rules of its own');
  }
  t.match(deprecated, {
    linkedin: [/^The scope r_emailaddress is .* Use linkedin_oidc\.$/, /^The scope r_liteprofile /],
    slack: [/^https:\/\/slack\.com\/oauth\/authorize is deprecated: .* Use slack_oidc\.$/, /oauth\.access is/],
    twitter: [/^https:\/\/api\.twitter\.com\/1\.1\/account\/verify_credentials\.json is .* Use x\.$/],
  });
  t.same(Object.keys(deprecated), ['linkedin', 'slack', 'twitter']);

  const scopes = ['email', 'https://www.googleapis.com/auth/plus.login'];
  const google = makeCustomSpec({ issuer: 'https://accounts.google.com', scopes });
  t.match(findDeprecated(google, null), [{ kind: 'hint', text: /^The scope .*plus\.login is deprecated: Google\+/ }]);

  const server = await startStubServer(t);
  const figma: OAuth2Spec = {
    protocol: 'oauth2',
    endpoints: () => ({
      authorization: `${server.url}/authorize`,
      token: `${server.url}/token`,
      api: 'https://api.figma.com/v1/me',
    }),
    scopes: ['files:read'],
    usesPkce: true,
    readProfile: () => Promise.reject(new Error('is not called')),
  };
  const names = { clientId: 'a', secret: 'b', redirectUri: 'c', address: 'd' };
  const { settings } = listProviders(providerConfig(providerSettings('figma', '')))[providerNames.indexOf('figma')]!;
  const findings = await probeProvider(figma, settings, names);
  t.match(findings[0], { kind: 'hint', text: /^The scope files:read is deprecated: .* Ask for current_user:read\.$/ });
});
