/** Validates real answers against the schemas of the OpenAPI document. */

import { signAdminToken } from '../../src/server/commands/sign-admin-token.js';
import { secretSigningKey } from '../../src/server/keys/key-set.js';
import { openSchemas } from '../support/check-openapi.js';
import { freshEmail, freshPhone, JWT_SECRET, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('answers match GET /openapi.json', async (t) => {
  const { call } = await openTestServer(t, {
    EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    EXTERNAL_PHONE_ENABLED: 'true',
    SMS_AUTOCONFIRM: 'true',
  });
  const { status, body: api } = await call('GET', '/openapi.json');
  t.equal(status, 200);
  t.equal(api.info.version, '0.0');
  const check = openSchemas(api);
  const seen = new Set<string>();
  /** Sends a request and validates the answer against the schema for its status. */
  const ask = async (
    method: string,
    pattern: string,
    options: Parameters<typeof call>[2] & { path?: string } = {},
    query = '',
  ) => {
    const answer = await call(method, (options.path ?? pattern) + query, options);
    const response = api.paths[pattern][method.toLowerCase()].responses[answer.status];
    t.ok(response, `${method} ${pattern} may answer ${answer.status}`);
    const schema = response?.content?.['application/json'].schema;
    if (schema === undefined) t.equal(answer.body, undefined);
    else t.same(check(schema, answer.body), [], `${method} ${pattern} ${answer.status}`);
    if (answer.status >= 400)
      t.match(response.description, `\`${answer.body.error_code ?? answer.body.code}\``, 'documented code');
    seen.add(`${method} ${pattern}`);
    return answer;
  };
  const email = freshEmail();
  const password = 'correct horse battery';
  const bearer = (await ask('POST', '/signup', { body: { email, password } })).body.access_token;
  const anonymous = (await ask('POST', '/signup', { body: {} })).body.access_token;
  await ask('POST', '/signup', { body: { phone: freshPhone(), password } });
  await ask('POST', '/signup', { body: { email, password } });
  await ask('POST', '/signup', { body: { email: freshEmail(), password: 'x' } });
  await ask('POST', '/signup', {
    body: { email: freshEmail(), password: 'x' },
    headers: { 'x-supabase-api-version': '2024-01-01' },
  });
  await ask('POST', '/signup', { body: { email: 7 } });
  const signedIn = await ask('POST', '/token', { body: { email, password } }, '?grant_type=password');
  await ask('POST', '/token', { body: { email, password: 'no' } }, '?grant_type=password');
  await ask('POST', '/token', { body: { refresh_token: signedIn.body.refresh_token } }, '?grant_type=refresh_token');
  await ask('POST', '/token', { body: { refresh_token: 'forged' } }, '?grant_type=refresh_token');
  await ask('GET', '/user', { bearer });
  await ask('GET', '/user');
  await ask('GET', '/user', { bearer: 'x.y.z' });
  await ask('PUT', '/user', { bearer, body: { data: { a: 1 } } });
  t.equal((await ask('PUT', '/user', { bearer: anonymous, body: { password } })).status, 422, 'without an address');
  await ask('POST', '/recover', { body: { email } });
  await ask('POST', '/otp', { body: { email } });
  await ask('POST', '/verify', { body: { type: 'email', email, token: '123456' } });
  await ask('POST', '/verify', { body: { email } });
  await ask('GET', '/settings');
  await ask('GET', '/.well-known/jwks.json');
  await ask('GET', '/health');
  await ask('GET', '/health/ready');
  await ask('POST', '/logout', { bearer });
  await ask('POST', '/logout', { bearer }, '?scope=nowhere');
  await ask('DELETE', '/user/identities/{identity_id}', { bearer, path: '/user/identities/x' });

  const admin = await signAdminToken(
    { role: 'service_role', audience: 'authenticated', issuer: '', subject: null, expiresInSeconds: null },
    secretSigningKey({ jwtSecret: JWT_SECRET, jwtKeyId: '' }),
    Math.floor(Date.now() / 1000),
  );
  await ask('GET', '/admin/users', { bearer });
  await ask('GET', '/admin/users', { bearer: admin });
  await ask('GET', '/admin/users', { bearer: admin }, '?cursor=&limit=1');
  const { id } = (await ask('POST', '/admin/users', { bearer: admin, body: { email: freshEmail() } })).body;
  const path = `/admin/users/${id}`;
  await ask('GET', '/admin/users/{user_id}', { bearer: admin, path });
  await ask('GET', '/admin/users/{user_id}', { bearer: admin, path: '/admin/users/x' });
  await ask('PUT', '/admin/users/{user_id}', { bearer: admin, path, body: { ban_duration: '1h' } });
  await ask('GET', '/admin/users/{user_id}/factors', { bearer: admin, path: `${path}/factors` });
  await ask('PUT', '/admin/users/{user_id}/factors/{factor_id}', { bearer: admin, path: `${path}/factors/${id}` });
  await ask('POST', '/admin/generate_link', { bearer: admin, body: { type: 'magiclink', email } });
  await ask('GET', '/admin/audit', { bearer: admin });
  await ask('DELETE', '/admin/users/{user_id}', { bearer: admin, path });
  await ask('POST', '/invite', { bearer: admin, body: { email: freshEmail() } });
  t.ok(seen.size > 20);
});
