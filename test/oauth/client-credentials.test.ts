/** Tokens that clients get for themselves (RFC 6749 4.4, RFC 9068). */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import {
  addClient,
  discover,
  oauthSettings,
  optionsHere,
  postForm,
  REDIRECT_URI,
  type TestClient,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = {
  OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  OAUTH_SERVER_MACHINE_ROLES: 'anon,reporting,service_role',
  OAUTH_SERVER_SCOPES: 'files.read=Read,files.write=Write',
};
const server = await openTestServer(t, oauthSettings(settings));
const { call } = server;
const admin = asAdmin(server);
const machine = {
  grant_types: ['client_credentials'],
  redirect_uris: undefined,
  token_endpoint_auth_method: 'client_secret_post',
};

const ask = (client: TestClient, more: Record<string, string> = {}, where = server) =>
  postForm(where, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret ?? '',
    ...more,
  });

t.test('oauth4webapi gets a token, which anybody can verify', async (t) => {
  const as = await discover(server);
  t.match(as.grant_types_supported, ['authorization_code', 'refresh_token', 'client_credentials']);
  const client = await addClient(server, { ...machine, token_endpoint_auth_method: 'client_secret_basic' });
  t.same(client.body['redirect_uris'], []);
  const rp: oauth.Client = { client_id: client.id };
  const tokens = await oauth.processClientCredentialsResponse(
    as,
    rp,
    await oauth.clientCredentialsGrantRequest(
      as,
      rp,
      oauth.ClientSecretBasic(client.secret!),
      new URLSearchParams({ scope: 'files.read', resource: 'https://api.example.com/' }),
      optionsHere(server),
    ),
  );
  t.equal(tokens.scope, 'files.read');
  t.notOk('refresh_token' in tokens);
  t.notOk('id_token' in tokens);
  const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(tokens.access_token, keys, {
    typ: 'at+jwt',
    issuer: 'http://localhost:9999',
    audience: 'https://api.example.com/',
    requiredClaims: ['jti', 'exp', 'iat', 'client_id'],
  });
  t.match(payload, { sub: client.id, client_id: client.id, role: 'anon', scope: 'files.read' });
  t.equal(payload.exp! - payload.iat!, tokens.expires_in);
  const { rows } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'oauth_token_issued' and payload ->> 'actor_id' = $1",
    [client.id],
  );
  t.match(rows, [{ payload: { traits: { client_id: client.id, grant_type: 'client_credentials' } } }]);
});

t.test('role, scopes and resources', async (t) => {
  const client = await addClient(server, { ...machine, role: 'reporting', scope: 'email files.read' });
  t.equal(client.body['role'], 'reporting');
  const { body } = await ask(client);
  t.match(claimsOf(body.access_token), { role: 'reporting', aud: 'authenticated', scope: 'files.read' });
  for (const scope of ['files.write', 'openid', 'email', 'offline_access', 'unknown']) {
    t.match(await ask(client, { scope }), { status: 400, body: { error: 'invalid_scope' } }, scope);
  }
  t.match(await ask(client, { resource: 'ftp://a.example/' }), { status: 400, body: { error: 'invalid_target' } });
  const free = await ask(await addClient(server, machine));
  t.notOk('scope' in free.body);
  t.notOk('scope' in claimsOf(free.body.access_token));
  const two = await ask(client, { scope: 'files.read files.read' });
  t.equal(two.body.scope, 'files.read');

  const strict = await openTestServer(t, oauthSettings({ ...settings, OAUTH_SERVER_MACHINE_ROLES: 'anon' }));
  const other = await addClient(strict, machine);
  await strict.database.admin.query("update oauth_clients set role = 'service_role' where id = $1", [other.id]);
  t.match(await ask(other, {}, strict), { status: 400, body: { error: 'unauthorized_client' } });
  const refused = await asAdmin(strict)('PUT', `/admin/oauth/clients/${other.id}`, { role: 'service_role' });
  t.match(refused, { status: 400, body: { error_code: 'validation_failed' } });
});

t.test('it is neither a user nor an administrator', async (t) => {
  for (const manage of ['false', 'true']) {
    const where = await openTestServer(
      t,
      oauthSettings({ ...settings, OAUTH_SERVER_CLIENT_TOKENS_MANAGE_ACCOUNT: manage }),
    );
    const client = await addClient(where, { ...machine, role: 'service_role' });
    const { access_token: bearer } = (await ask(client, {}, where)).body;
    t.equal(claimsOf(bearer)['role'], 'service_role');
    // An account of that id changes nothing.
    await asAdmin(where)('POST', '/admin/users', { id: client.id, email: 'machine@example.com', email_confirm: true });
    for (const [method, path] of [
      ['GET', '/user'],
      ['PUT', '/user'],
      ['GET', '/oauth/userinfo'],
      ['POST', '/oauth/userinfo'],
      ['GET', '/user/oauth/grants'],
      ['POST', '/logout'],
      ['GET', '/admin/users'],
      ['GET', '/admin/oauth/clients'],
      ['POST', '/admin/users'],
    ] as const) {
      const body = method === 'GET' ? {} : { body: {} };
      const answer = await where.call(method, path, { bearer, ...body });
      t.match(answer.status, path === '/oauth/userinfo' ? 401 : 403, `${method} ${path}`);
      t.match(answer.body.error_code, path.startsWith('/admin') ? 'not_admin' : 'bad_jwt');
    }
  }
});

t.test('who gets none', async (t) => {
  const usual = await addClient(server, { token_endpoint_auth_method: 'client_secret_post' });
  t.match(await ask(usual), { status: 400, body: { error: 'unsupported_grant_type' } });
  const client = await addClient(server, machine);
  t.match(await ask({ ...client, secret: 'wrong' }), { status: 401, body: { error: 'invalid_client' } });
  t.match(await ask({ ...client, secret: undefined }), { status: 401, body: { error: 'invalid_client' } });
  const refresh = await ask(client, { grant_type: 'refresh_token', refresh_token: 'x' });
  t.match(refresh, { status: 400, body: { error: 'unsupported_grant_type' } });

  const path = '/admin/oauth/clients';
  const open = { ...machine, token_endpoint_auth_method: 'none' };
  t.match(await admin('POST', path, open), { status: 400, body: { error_code: 'validation_failed' } });
  t.match(await call('POST', '/oauth/clients/register', { body: { ...machine, redirect_uris: [REDIRECT_URI] } }), {
    status: 400,
    body: { error: 'invalid_client_metadata' },
  });
  const codes = { grant_types: ['authorization_code'] };
  t.match(await admin('PUT', `${path}/${client.id}`, codes), { status: 400 }, 'without a redirect URI');
  t.equal((await admin('PUT', `${path}/${client.id}`, { ...codes, redirect_uris: [REDIRECT_URI] })).status, 200);
  t.match(await ask(client), { status: 400, body: { error: 'unsupported_grant_type' } });

  const off = await openTestServer(t, oauthSettings());
  t.match(await ask(await addClient(off, machine), {}, off), {
    status: 400,
    body: { error: 'unsupported_grant_type' },
  });
  t.notMatch((await discover(off)).grant_types_supported, ['', '', 'client_credentials']);
});

t.test('introspection and revocation', async (t) => {
  const [client, stranger] = [await addClient(server, machine), await addClient(server, machine)];
  const rs = await addClient(server, { ...machine, resources: ['https://api.example.com/'] });
  let token = (await ask(client, { resource: 'https://api.example.com/' })).body.access_token as string;
  const post = (path: string, by: TestClient) =>
    postForm(server, path, { client_id: by.id, client_secret: by.secret!, token });
  t.match((await post('/oauth/introspect', client)).body, { active: true, sub: client.id, client_id: client.id });
  t.match((await post('/oauth/introspect', rs)).body, { active: true, aud: 'https://api.example.com/' });
  t.same((await post('/oauth/introspect', stranger)).body, { active: false });
  t.equal((await post('/oauth/revoke', stranger)).status, 200);
  t.match((await post('/oauth/introspect', rs)).body, { active: true }, 'of another client: nothing happens');
  const other = (await ask(client, { resource: 'https://api.example.com/' })).body.access_token;
  const answers = await Promise.all(Array.from({ length: 4 }, () => post('/oauth/revoke', client)));
  t.ok(answers.every(({ status }) => status === 200));
  t.same((await post('/oauth/introspect', rs)).body, { active: false });
  t.same((await post('/oauth/introspect', client)).body, { active: false });
  const { jti, exp } = claimsOf(token) as { jti: string; exp: number };
  const { rows } = await server.database.admin.query(
    `select (payload -> 'traits') as traits, payload ->> 'actor_id' as actor,
       (select extract(epoch from expires_at)::int from oauth_revoked_tokens where id = $1) as expires
     from audit_log where payload ->> 'action' = 'oauth_revoked' and payload ->> 'actor_id' = $2`,
    [jti, client.id],
  );
  const traits = { client_id: client.id, token_id: jti, token_type: 'access_token' };
  t.match(rows, [{ traits, actor: client.id, expires: exp }]);
  t.equal(rows.length, 1, 'revoked once');
  token = other;
  t.match((await post('/oauth/introspect', rs)).body, { active: true }, 'another token of the client is valid');
  await admin('DELETE', `/admin/oauth/clients/${client.id}`);
  t.same((await post('/oauth/introspect', rs)).body, { active: false });
});

t.test('a person cannot be signed in to such a client', async (t) => {
  const client = await addClient(server, machine);
  const query = new URLSearchParams({ client_id: client.id, redirect_uri: REDIRECT_URI, response_type: 'code' });
  t.match(await call('GET', `/oauth/authorize?${query}`), { status: 400, body: { msg: 'invalid redirect_uri' } });
});
