import { endpoints } from '../../src/server/endpoints/index.js';
import { adminToken } from '../support/admin.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { words } from '../support/words.js';

/** Clients with fixed types reject an answer without one. */
const providers = words(`
  apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion
  snapchat spotify slack slack_oidc twitch twitter workos x zoom
`);

t.test('GET /settings', async (t) => {
  const { call } = await openTestServer(t, {
    EXTERNAL_GITHUB_ENABLED: 'true',
    EXTERNAL_GITHUB_CLIENT_ID: 'id',
    EXTERNAL_GITHUB_SECRET: 'a-very-secret-value',
    EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
    EXTERNAL_SLACK_OIDC_ENABLED: 'true',
  });
  const answer = await call('GET', '/settings');
  t.equal(answer.status, 200);
  const { external, ...rest } = answer.body;
  t.same(rest, {
    disable_signup: false,
    autoconfirm: true,
    mailer_autoconfirm: true,
    phone_autoconfirm: false,
    sms_provider: '',
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
    mfa_required: false,
    mfa_enabled: true,
  });
  const flags = Object.fromEntries(providers.map((name) => [name, name === 'github' || name === 'slack_oidc']));
  t.same(external, {
    ...{ anonymous_users: false, email: true, phone: false, web3_ethereum: false, web3_solana: false },
    ...flags,
  });
  t.notMatch(JSON.stringify(answer.body), /very-secret/);
});

t.test('health', async (t) => {
  const { call } = await openTestServer(t);
  const health = await call('GET', '/health');
  t.equal(health.status, 200);
  t.match(health.body, { version: '', name: 'Latchkey', description: String });
  const ready = await call('GET', '/health/ready', { bearer: adminToken() });
  t.equal(ready.status, 200);
  t.same(ready.body, { ready: true, database: 'up', schema: 'current', draining: false, generation: 1 });
  const jwks = await call('GET', '/.well-known/jwks.json');
  t.same(jwks.body, { keys: [] });
  t.equal(jwks.headers.get('cache-control'), 'public, max-age=600, stale-while-revalidate=60');
});

t.test('unknown paths and methods', async (t) => {
  const { call } = await openTestServer(t);
  t.match(await call('GET', '/'), { status: 404, body: { error_code: 'not_found' } }, 'a page under npm start alone');
  const unknown = await call('GET', '/nowhere');
  t.equal(unknown.status, 404);
  t.match(unknown.body, { code: 404, error_code: String, msg: String });
  const method = await call('DELETE', '/token');
  t.equal(method.status, 405);
  t.equal(method.headers.get('allow'), 'POST');
});

t.test('every GET that changes nothing answers HEAD', async (t) => {
  const { url } = await openTestServer(t, { PAGES_ENABLED: 'true' });
  const refused: string[] = [];
  for (const { method, path } of endpoints) {
    if (method !== 'GET') continue;
    const place = `${url}${path.replaceAll(/\{[^}]+\}/g, 'x')}?token=a&type=signup`;
    const head = await fetch(place, { method: 'HEAD', redirect: 'manual' });
    t.equal(await head.text(), '');
    if (head.status === 405) {
      refused.push(path);
      t.notMatch(head.headers.get('allow'), /HEAD/, path);
      continue;
    }
    const get = await fetch(place, { redirect: 'manual' });
    await get.text();
    t.equal(head.status, get.status, path);
    t.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
    // Errors may name the method.
    if (get.ok) t.equal(head.headers.get('content-length'), get.headers.get('content-length'), path);
  }
  t.same(
    refused.sort(),
    words(`
      /authorize /callback /oauth/authorizations/{authorization_id} /oauth/authorize /oauth/logout /reauthenticate
      /sso/saml/slo      /ui/consent /ui/continue /ui/provider /ui/return /user/identities/authorize /verify
    `),
    'those that change something',
  );
});

t.test('the schema of the settings requires every member of the response', async (t) => {
  const { call } = await openTestServer(t);
  const { body } = await call('GET', '/settings');
  const { components } = (await call('GET', '/openapi.json')).body;
  const { required, properties } = components.schemas.Settings;
  t.same([...required].sort(), Object.keys(body).sort());
  t.same([...properties.external.required].sort(), Object.keys(body.external).sort());
});
