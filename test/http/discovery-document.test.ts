import { openTestServer } from '../support/server.js';
import { keySetting, makeTestJwk } from '../support/signing-keys.js';
import { t } from '../support/tap.js';

t.test('GET /.well-known/openid-configuration', async (t) => {
  const path = '/.well-known/openid-configuration';
  const plain = await openTestServer(t);
  const answer = await plain.call('GET', path);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('cache-control'), /^public, max-age=600/);
  t.match(answer.body, {
    issuer: 'http://localhost:9999',
    jwks_uri: 'http://localhost:9999/.well-known/jwks.json',
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['HS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    code_challenge_methods_supported: ['S256', 'plain'],
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
  });
  t.notOk(
    Object.keys(answer.body).some((name) => name.endsWith('_endpoint')),
    'those of the authorization server, which is off',
  );
  const keys = keySetting(makeTestJwk('ES256', 'a'), makeTestJwk('RS256', 'b', ['verify']));
  const named = await openTestServer(t, { ...keys, JWT_ISSUER: 'https://auth.example.com/v1/' });
  t.match((await named.call('GET', path)).body, {
    issuer: 'https://auth.example.com/v1/',
    jwks_uri: 'https://auth.example.com/v1/.well-known/jwks.json',
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  });
});
