/** Clients: registration, and what administrators do with them. */

import { asAdmin } from '../support/admin.js';
import { addClient, authorize, oauthSettings, REDIRECT_URI } from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, oauthSettings({ OAUTH_SERVER_SCOPES: 'files.read=Read' }));
const admin = asAdmin(server);
const path = '/admin/oauth/clients';
const unknown = `${path}/00000000-0000-4000-8000-000000000000`;

t.test('the life of a client', async (t) => {
  const made = await admin('POST', path, {
    redirect_uris: [REDIRECT_URI, 'https://a.example/,https://b.example/'],
    client_name: 'Notes',
    client_uri: 'https://notes.example',
    logo_uri: 'https://notes.example/logo.png',
    scope: 'email files.read',
    refresh_token_ttl: 3600,
    contacts: ['ignored'],
  });
  t.equal(made.status, 201);
  t.match(made.body, {
    client_type: 'confidential',
    token_endpoint_auth_method: 'client_secret_basic',
    redirect_uris: [REDIRECT_URI, 'https://a.example/,https://b.example/'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    registration_type: 'manual',
    scope: 'email files.read',
    refresh_token_ttl: 3600,
    client_secret: /^[\w-]{43}$/,
    client_secret_expires_at: 0,
  });
  const one = `${path}/${made.body.client_id}`;
  const { client_secret: _secret, client_secret_expires_at: _never, ...shown } = made.body;
  t.same((await admin('GET', one)).body, shown, 'the secret is shown once');

  const changed = await admin('PUT', one, {
    client_name: 'Notes 2',
    redirect_uris: ['com.example.app://back'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'email',
    logo_uri: '',
    refresh_token_ttl: 60,
  });
  t.match(changed, {
    status: 200,
    body: {
      client_name: 'Notes 2',
      redirect_uris: ['com.example.app://back'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'email',
      client_uri: 'https://notes.example',
      refresh_token_ttl: 60,
    },
  });
  t.notOk('logo_uri' in changed.body);
  for (const refused of [
    {},
    { client_type: 'public' },
    { token_endpoint_auth_method: 'none' },
    { redirect_uris: [] },
    { grant_types: [] },
    { refresh_token_ttl: 0 },
  ]) {
    t.match(await admin('PUT', one, refused), { status: 400, body: { error_code: 'validation_failed' } });
  }
  t.equal((await admin('DELETE', one)).status, 204);
  for (const [method, where] of [
    ['GET', one],
    ['PUT', one],
    ['DELETE', one],
    ['POST', `${one}/regenerate_secret`],
    ['GET', unknown],
  ] as const) {
    const body = method === 'PUT' ? { client_name: 'x' } : undefined;
    t.match(await admin(method, where, body), { status: 404, body: { error_code: 'oauth_client_not_found' } });
  }
  t.match(await admin('GET', `${path}/1`), { status: 400, body: { msg: 'invalid client_id format' } });
  const open = await addClient(server);
  t.match(await admin('POST', `${path}/${open.id}/regenerate_secret`), {
    status: 400,
    body: { msg: 'Cannot regenerate secret for public client' },
  });
});

t.test('an empty scope is none: the client may ask for all', async (t) => {
  const { body } = await admin('POST', path, { redirect_uris: [REDIRECT_URI], client_type: 'public', scope: 'email' });
  const changed = await admin('PUT', `${path}/${body.client_id}`, { scope: ' ' });
  t.equal(changed.status, 200);
  t.notOk('scope' in changed.body);
  const parameters = { scope: 'files.read' };
  const { location } = await authorize(server, { clientId: body.client_id, parameters });
  t.notOk(location.searchParams.has('error'), location.href);
  t.match(location.searchParams.get('authorization_id'), /./);
});

t.test('the list has pages', async (t) => {
  const empty = await openTestServer(t, oauthSettings());
  const list = (query = '') => asAdmin(empty)('GET', `${path}${query}`);
  t.same((await list()).body, { clients: [] });
  for (const client_name of ['a', 'b', 'c']) await addClient(empty, { client_name });
  const first = await list('?page=1&per_page=2');
  t.same(
    first.body.clients.map(({ client_name }: { client_name: string }) => client_name),
    ['c', 'b'],
  );
  t.equal(first.headers.get('x-total-count'), '3');
  t.match(first.headers.get('link'), 'rel="next"');
  t.equal((await list('?page=2&per_page=2')).body.clients.length, 1);
});

t.test('an empty list of redirect URIs is none, for clients that need none', async (t) => {
  const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
  const device = { grant_types: [deviceGrant], token_endpoint_auth_method: 'none' };
  const empty = { ...device, redirect_uris: [] };
  for (const [name, made] of [
    ['a machine', await admin('POST', path, { redirect_uris: [], grant_types: ['client_credentials'] })],
    ['a device', await admin('POST', path, empty)],
    ['a device by itself', await server.call('POST', '/oauth/clients/register', { body: empty })],
  ] as const) {
    t.match(made, { status: 201, body: { redirect_uris: [], response_types: [] } }, name);
    const one = `${path}/${made.body.client_id}`;
    t.match(await admin('PUT', one, { redirect_uris: [], client_name: name }), {
      status: 200,
      body: { redirect_uris: [] },
    });
    const code = await admin('PUT', one, { grant_types: ['authorization_code'], redirect_uris: [] });
    t.match(code, { status: 400, body: { msg: 'redirect_uris is required' } }, `${name}: codes need one`);
  }
  const itself = await server.call('POST', '/oauth/clients/register', {
    body: { ...device, redirect_uris: [REDIRECT_URI] },
  });
  const own = { client_id: itself.body.client_id, ...empty };
  const replaced = await server.call('PUT', `/oauth/clients/register/${own.client_id}`, {
    bearer: itself.body.registration_access_token,
    body: own,
  });
  t.match(replaced, { status: 200, body: { redirect_uris: [] } }, 'RFC 7592');
});

t.test('what registration refuses', async (t) => {
  const register = (body: object) => server.call('POST', '/oauth/clients/register', { body });
  const redirects = [
    undefined,
    [],
    Array.from({ length: 11 }, (_, n) => `https://client.example/${n}`),
    ['https://client.example/#fragment'],
    ['http://client.example/'],
    ['app:/cb'],
    ['JavaScript:alert(1)'],
    ['data://x'],
    ['file:///etc/passwd'],
    ['about:blank'],
    ['https://user:password@client.example/'],
    ['/relative'],
    ['https://client.example/ü'],
    [`https://client.example/${'a'.repeat(2048)}`],
  ];
  for (const redirect_uris of redirects) {
    t.match(await register({ redirect_uris }), { status: 400, body: { error: 'invalid_redirect_uri' } });
  }
  for (const more of [
    { client_type: 'other' },
    { token_endpoint_auth_method: 'private_key_jwt' },
    { client_type: 'public', token_endpoint_auth_method: 'client_secret_basic' },
    { grant_types: ['implicit'] },
    { grant_types: [] },
    { client_name: 'a'.repeat(1025) },
    { client_uri: 'javascript:alert(1)' },
    { logo_uri: `https://a.example/${'a'.repeat(2048)}` },
    { scope: 'admin' },
  ]) {
    const answer = await register({ redirect_uris: [REDIRECT_URI], ...more });
    t.match(answer, { status: 400, body: { error: 'invalid_client_metadata' } }, JSON.stringify(more).slice(0, 60));
  }
  const made = await register({ redirect_uris: [REDIRECT_URI], client_type: 'public', refresh_token_ttl: 1 });
  t.match(made, { status: 201, body: { token_endpoint_auth_method: 'none', registration_type: 'dynamic' } });
  t.notOk('client_secret' in made.body);
  t.notOk('refresh_token_ttl' in made.body, 'only administrators set it');

  const closed = await openTestServer(t, oauthSettings({ OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'false' }));
  t.match(await closed.call('POST', '/oauth/clients/register', { body: { redirect_uris: [REDIRECT_URI] } }), {
    status: 403,
    body: { error_code: 'oauth_dynamic_client_registration_disabled' },
  });
  t.notOk('registration_endpoint' in (await closed.call('GET', '/.well-known/openid-configuration')).body);
});

t.test('discovery under the path of the issuer (RFC 8414 3.1)', async (t) => {
  for (const [issuer, suffix] of [
    ['https://auth.example.com/tenant', 'tenant'],
    ['https://auth.example.com/auth/v1', 'auth/v1'],
  ] as const) {
    const { call } = await openTestServer(t, oauthSettings({ JWT_ISSUER: issuer }));
    const found = await call('GET', `/.well-known/oauth-authorization-server/${suffix}`);
    t.match(found, { status: 200, body: { issuer, token_endpoint: `${issuer}/oauth/token` } });
    t.equal((await call('GET', '/.well-known/oauth-authorization-server/other')).status, 404);
    t.equal((await call('GET', '/.well-known/oauth-authorization-server/auth/v2')).status, 404);
  }
});

t.test('a redirect URI keeps its query, and the resources are those of the operator', async (t) => {
  const {
    url,
    database,
    call,
    post,
    server: running,
  } = await openTestServer(
    t,
    oauthSettings({ OAUTH_SERVER_RESOURCES: 'https://api.example.com/*,https://mcp.example.com/mcp' }),
  );
  const here = { url, database, call, post, server: running };
  const redirect_uri = `${REDIRECT_URI}?tenant=a%20b&state=fixed`;
  const client = await addClient(here, { redirect_uris: [redirect_uri] });
  const ask = async (resource: string) =>
    (await authorize(here, { clientId: client.id, parameters: { redirect_uri }, resources: [resource] })).location;
  const refused = await ask('https://evil.example.com/');
  t.equal(refused.searchParams.get('error'), 'invalid_target');
  t.equal(refused.searchParams.get('tenant'), 'a b');
  t.same(refused.searchParams.getAll('state'), ['some state'], 'that of the request replaces it');
  for (const resource of ['https://api.example.com/v1', 'https://mcp.example.com/mcp']) {
    t.ok((await ask(resource)).searchParams.has('authorization_id'), resource);
  }
  t.equal((await ask('https://mcp.example.com/mcp/x')).searchParams.get('error'), 'invalid_target');
});
