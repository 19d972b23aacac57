import { provider as apple } from '../../src/server/providers/apple.js';
import { provider as azure } from '../../src/server/providers/azure.js';
import { ProviderUnavailable } from '../../src/server/providers/claims.js';
import type { OidcSpec, ProviderSettings } from '../../src/server/providers/contract.js';
import { provider as google } from '../../src/server/providers/google.js';
import { openOidcProvider } from '../../src/server/providers/oidc.js';
import { openExternalFlow } from '../support/external-flow.js';
import { freshEmail } from '../support/server.js';
import { beginSignIn } from '../support/sign-in.js';
import { startStubServer } from '../support/stub-server.js';
import { t } from '../support/tap.js';

const REDIRECT_URI = 'http://localhost:9999/callback';
const TARGET = 'https://app.example.com/in?a=b';
const MESSAGE = 'The identity provider cannot be reached right now, please retry';

/** Settings, without the prefix AUTH_EXTERNAL_. */
const on = (name: string, more: Record<string, string>) =>
  Object.fromEntries(
    Object.entries({ ENABLED: 'true', CLIENT_ID: 'cid', SECRET: 's', REDIRECT_URI, ...more }).map(([field, value]) => [
      `EXTERNAL_${name}_${field}`,
      value,
    ]),
  );

t.test('REL-32: a known authorization endpoint needs no request', async (t) => {
  const cases: [OidcSpec, string | null, string][] = [
    [azure, null, 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize'],
    [
      azure,
      'https://login.microsoftonline.us/contoso',
      'https://login.microsoftonline.us/contoso/oauth2/v2.0/authorize',
    ],
    [apple, null, 'https://appleid.apple.com/auth/authorize'],
    [google, null, 'https://accounts.google.com/o/oauth2/v2/auth'],
  ];
  const settings = { name: 'x', redirectUri: REDIRECT_URI, secret: 's', emailOptional: false } as ProviderSettings;
  for (const [spec, url, expected] of cases) {
    let asked = 0;
    const find = async () => {
      asked++;
      throw new ProviderUnavailable('down');
    };
    const provider = openOidcProvider(spec, { settings, url, clientId: 'cid', budgetSeconds: 1 }, { find });
    const { origin, pathname, searchParams } = (await beginSignIn(provider)).url;
    t.equal(origin + pathname, expected);
    t.equal(searchParams.get('client_id'), 'cid');
    t.equal(asked, 0, expected);
  }
});

t.test('REL-32: azure, with its discovery down: the redirect works, the callback gives an error', async (t) => {
  const down = await startStubServer(t);
  const url = `${down.url}/contoso`;
  const flow = await openExternalFlow(t, [], {
    ...on('AZURE', { URL: url }),
    URI_ALLOW_LIST: 'https://app.example.com/**',
  });
  const browser = flow.openBrowser();
  const { status, location } = await browser.leave('azure', { redirect_to: TARGET });
  t.equal(status, 302);
  t.equal(location.split('?')[0], `${url}/oauth2/v2.0/authorize`);
  t.equal(down.requests.length, 0);
  const state = new URL(location).searchParams.get('state')!;
  const back = `${REDIRECT_URI}?${new URLSearchParams({ state, code: 'code-1234' })}`;
  const landing = await browser.comeBack({ method: 'GET', url: back, fields: {} });
  t.equal(landing.status, 302);
  t.equal(landing.location.origin, 'https://app.example.com');
  t.equal(landing.query.get('error'), 'server_error');
});

t.test('REL-32: an issuer without known endpoints, down: a redirect to the application', async (t) => {
  const down = await startStubServer(t);
  const named = on('CUSTOM_ACME', { ISSUER: down.url });
  const { EXTERNAL_CUSTOM_ACME_ENABLED: _on, EXTERNAL_CUSTOM_ACME_REDIRECT_URI: _uri, ...custom } = named;
  const settings = { ...custom, URI_ALLOW_LIST: 'https://app.example.com/**', SECURITY_MANUAL_LINKING_ENABLED: 'true' };
  const flow = await openExternalFlow(t, [], { ...settings, MAILER_AUTOCONFIRM: 'true' });
  const isTold = ({ location }: { location: string }) => {
    const landed = new URL(location);
    t.equal(landed.origin + landed.pathname, 'https://app.example.com/in');
    const parameters = { error: 'server_error', error_code: 'unexpected_failure', error_description: MESSAGE };
    t.same(Object.fromEntries(landed.searchParams), { a: 'b', ...parameters });
    t.same(Object.fromEntries(new URLSearchParams(landed.hash.slice(1))), { sb: '', ...parameters });
  };
  const left = await flow.openBrowser().leave('custom:acme', { redirect_to: TARGET });
  t.equal(left.status, 302);
  isTold(left);

  const body = { email: freshEmail(), password: 'correct horse battery' };
  const bearer = (await flow.post('/signup', body)).body.access_token;
  const link = `/user/identities/authorize?${new URLSearchParams({ provider: 'custom:acme', redirect_to: TARGET })}`;
  const linking = await flow.call('GET', link, { bearer });
  t.equal(linking.status, 302);
  isTold({ location: linking.headers.get('location')! });
  const byScript = await flow.call('GET', `${link}&skip_http_redirect=true`, { bearer });
  t.match(byScript, { status: 500, body: { error_code: 'unexpected_failure', msg: MESSAGE } }, 'a script reads JSON');
  t.equal((await flow.database.admin.query('select from flow_states')).rows.length, 0, 'no flow was begun');
  t.ok(down.requests.length > 0);
});

t.test('REL-32: the same for twitter, which needs a request before the redirect', async (t) => {
  const down = await startStubServer(t);
  const flow = await openExternalFlow(t, [], on('TWITTER', { URL: down.url }));
  const { status, location } = await flow.openBrowser().leave('twitter');
  t.equal(status, 302);
  t.equal(new URL(location).origin, 'http://localhost:3000');
  t.equal(new URL(location).searchParams.get('error'), 'server_error');
});

t.test('REL-32: errors of the request itself are JSON', async (t) => {
  const down = await startStubServer(t);
  const flow = await openExternalFlow(t, [], on('AZURE', { URL: down.url }));
  const refused = await flow.call('GET', '/authorize?provider=github');
  t.match(refused, { status: 400, body: { error_code: 'validation_failed' } });
  const pkce = await flow.call('GET', '/authorize?provider=azure&code_challenge=x');
  t.match(pkce, { status: 400, body: { error_code: 'validation_failed' } });
});
