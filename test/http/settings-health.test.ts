import t from 'tap';
import { openTestServer } from '../support/server.js';

const eighteen = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'github',
  'gitlab',
  'google',
  'keycloak',
  'linkedin',
  'notion',
  'snapchat',
  'spotify',
  'slack',
  'twitch',
  'twitter',
  'workos',
];

t.test('GET /settings', async (t) => {
  const { call } = await openTestServer(t, {
    EXTERNAL_GITHUB_ENABLED: 'true',
    EXTERNAL_GITHUB_CLIENT_ID: 'id',
    EXTERNAL_GITHUB_SECRET: 'a-very-secret-value',
    EXTERNAL_GITHUB_REDIRECT_URI: 'http://localhost:9999/callback',
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
  });
  const flags = Object.fromEntries(eighteen.map((name) => [name, name === 'github']));
  t.same(external, { anonymous_users: false, email: true, phone: false, ...flags });
  t.notMatch(JSON.stringify(answer.body), /very-secret/);
});

t.test('health', async (t) => {
  const { call } = await openTestServer(t);
  const health = await call('GET', '/health');
  t.equal(health.status, 200);
  t.match(health.body, { version: String, name: 'Latchkey', description: String });
  const ready = await call('GET', '/health/ready');
  t.equal(ready.status, 200);
  t.same(ready.body, { ready: true, database: 'up', schema: 'current', draining: false });
  const jwks = await call('GET', '/.well-known/jwks.json');
  t.same(jwks.body, { keys: [] });
  t.equal(jwks.headers.get('cache-control'), 'public, max-age=600');
});

t.test('unknown paths and methods', async (t) => {
  const { call } = await openTestServer(t);
  const unknown = await call('GET', '/nowhere');
  t.equal(unknown.status, 404);
  t.match(unknown.body, { code: 404, error_code: String, msg: String });
  const method = await call('DELETE', '/token');
  t.equal(method.status, 405);
  t.equal(method.headers.get('allow'), 'POST');
});
