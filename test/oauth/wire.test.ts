/** The wire of the authorization server, line by line: switches, limits, error forms and what discovery promises. */

import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin } from '../support/admin.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  postForm,
  REDIRECT_URI,
  redeem,
  refresh,
  signInToClient,
  signUpPerson,
  VERIFIER,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, oauthSettings({ OAUTH_SERVER_DEFAULT_SCOPE: 'email profile' }));
const admin = asAdmin(server);
const errorOf = (location: URL) => location.searchParams.get('error');

t.test('switched off: every endpoint is 404, and the discovery of keys is served', async (t) => {
  const off = await openTestServer(t);
  const { token: bearer } = await signUpPerson(off);
  const isMetadata = (path: string) => path.startsWith('/.well-known/oauth-authorization-server');
  const own = endpoints.filter(({ tag, path }) => tag === 'OAuth server' || isMetadata(path));
  t.ok(own.length > 18);
  for (const { method, path, caller } of own) {
    const address = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
    const answer =
      caller === 'admin'
        ? await asAdmin(off)(method, address, method === 'GET' ? undefined : {})
        : await off.call(method, address, { bearer, ...(method !== 'GET' && { body: {} }) });
    const expected = { status: 404, body: { error_code: 'feature_disabled', msg: 'OAuth server is disabled' } };
    t.match(answer, expected, `${method} ${path}`);
  }
  const { status, body } = await off.call('GET', '/.well-known/openid-configuration');
  t.equal(status, 200);
  const places = Object.keys(body).filter((name) => name.endsWith('_endpoint') || name === 'jwks_uri');
  t.same(places, ['jwks_uri'], 'no endpoint that is 404');
});

t.test('discovery: what is promised, and nothing else', async (t) => {
  const { body } = await server.call('GET', '/.well-known/openid-configuration');
  const base = 'http://localhost:9999';
  t.match(body, {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    registration_endpoint: `${base}/oauth/clients/register`,
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256', 'plain'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  for (const [name, value] of Object.entries<string>(body)) {
    if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue;
    const path = new URL(value).pathname;
    t.ok(
      endpoints.some((one) => one.path === path),
      `${name} is an endpoint`,
    );
  }
});

t.test('without an asymmetric key openid is neither promised nor given', async (t) => {
  const { AUTH_JWT_KEYS: _none, JWT_KEYS: _keys, JWT_VALID_METHODS: _methods, ...settings } = oauthSettings();
  const secretOnly = await openTestServer(t, settings);
  const { body } = await secretOnly.call('GET', '/.well-known/openid-configuration');
  t.notOk(body.scopes_supported.includes('openid'));
  const client = await addClient(secretOnly);
  const { location } = await authorize(secretOnly, { clientId: client.id, parameters: { scope: 'openid email' } });
  t.equal(errorOf(location), 'invalid_scope');
  const person = await signUpPerson(secretOnly);
  const { status, body: tokens } = await signInToClient(secretOnly, person, client);
  t.equal(status, 200);
  t.notOk('id_token' in tokens);
});

t.test('scopes: the default, and unknown ones that are refused or dropped', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const byDefault = await signInToClient(server, person, client, { parameters: { scope: null } });
  t.equal(byDefault.body.scope, 'email profile');
  const refused = await authorize(server, { clientId: client.id, parameters: { scope: 'email unheard.of' } });
  t.equal(errorOf(refused.location), 'invalid_scope');
  t.equal(refused.location.searchParams.get('error_description'), 'unsupported scope: unheard.of');

  const lenient = await openTestServer(t, oauthSettings({ OAUTH_SERVER_UNKNOWN_SCOPES: 'drop' }));
  const [other, ann] = [await addClient(lenient), await signUpPerson(lenient)];
  const dropped = await signInToClient(lenient, ann, other, { parameters: { scope: 'email unheard.of' } });
  t.equal(dropped.body.scope, 'email');
  const nothing = await authorize(lenient, { clientId: other.id, parameters: { scope: 'unheard.of' } });
  t.equal(errorOf(nothing.location), 'invalid_scope');
});

t.test('limits of authorize, token and registration, in the form that clients read', async (t) => {
  const limited = await openTestServer(
    t,
    oauthSettings({
      RATE_LIMIT_HEADER: 'x-client',
      RATE_LIMIT_OAUTH_AUTHORIZE: '1',
      RATE_LIMIT_OAUTH_TOKEN: '1',
      RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER: '1',
    }),
  );
  const headers = { 'x-client': '203.0.113.7' };
  const register = () => limited.call('POST', '/oauth/clients/register', { headers, body: {} });
  const token = () => postForm(limited, '/oauth/token', { grant_type: 'x' }, headers);
  const ask = () => limited.call('GET', '/oauth/authorize', { headers });
  for (const [name, call, isOauth] of [
    ['register', register, true],
    ['token', token, true],
    ['authorize', ask, false],
  ] as const) {
    let answer = await call();
    for (let number = 0; number < 200 && answer.status !== 429; number++) answer = await call();
    t.match(answer, { status: 429, body: { error_code: 'over_request_rate_limit' } }, name);
    if (isOauth) t.match(answer.body, { error: 'temporarily_unavailable', error_description: String }, name);
  }
  const others = { headers: { 'x-client': '203.0.113.8' }, body: {} };
  t.equal((await limited.call('POST', '/oauth/clients/register', others)).status, 400, 'another address goes on');
});

t.test('one form of errors at the endpoints of clients (RFC 6749 5.2)', async (t) => {
  const { id: client_id } = await addClient(server, { grant_types: ['authorization_code'] });
  const send = async (path: string, body: string, type: string) => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { 'content-type': type }, body });
    t.equal(response.headers.get('cache-control'), 'no-store', `${path} ${body}`);
    return { status: response.status, body: await response.json() };
  };
  const form = 'application/x-www-form-urlencoded';
  for (const [path, body, type, status, error] of [
    ['/oauth/token', '{', 'application/json', 400, 'invalid_request'],
    ['/oauth/clients/register', '{', 'application/json', 400, 'invalid_request'],
    ['/oauth/token', `client_id=${client_id}`, form, 400, 'invalid_request'],
    ['/oauth/token', `client_id=${client_id}&grant_type=password`, form, 400, 'unsupported_grant_type'],
    [
      '/oauth/token',
      `client_id=${client_id}&grant_type=refresh_token&refresh_token=x`,
      form,
      400,
      'unsupported_grant_type',
    ],
    ['/oauth/token', `client_id=${client_id}&grant_type=authorization_code`, form, 400, 'invalid_request'],
    ['/oauth/token', `client_id=${client_id}&grant_type=authorization_code&code=x`, form, 400, 'invalid_grant'],
    ['/oauth/token', `client_id=${client_id}&grant_type=authorization_code&code=%00`, form, 400, 'invalid_request'],
    ['/oauth/token', 'grant_type=authorization_code&code=x', form, 401, 'invalid_client'],
    ['/oauth/token', 'client_id=x&grant_type=authorization_code&code=x', form, 401, 'invalid_client'],
  ] as const) {
    const answer = await send(path, body, type);
    const both = { error, error_description: String, code: status, error_code: String, msg: String };
    t.match(answer, { status, body: both }, `${path} ${body}`);
  }
});

t.test('the token endpoint reads JSON, too, and its answers are not stored', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const resources = ['https://mcp.example.com/a', 'https://mcp.example.com/b'];
  const { location } = await authorize(server, { clientId: client.id, resources });
  const code = (await consent(server, person, location)).searchParams.get('code');
  const given = { grant_type: 'authorization_code', client_id: client.id, code, code_verifier: VERIFIER };
  const wrong = await server.post('/oauth/token', { ...given, resource: 'https://other.example' });
  t.match(wrong, { status: 400, body: { error: 'invalid_target' } });
  const answer = await server.post('/oauth/token', { ...given, resource: resources });
  t.match(answer, { status: 200, body: { token_type: 'bearer', expires_in: Number, refresh_token: String } });
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const next = await refresh(server, client, answer.body.refresh_token);
  t.equal(next.headers.get('cache-control'), 'no-store');
});

t.test('loopback addresses of IPv6 and names take any port, with the same path and query', async (t) => {
  const redirect_uris = ['http://[::1]/cb?a=b', 'http://localhost:1/cb', REDIRECT_URI];
  const { id: clientId } = await addClient(server, { redirect_uris });
  for (const [redirect_uri, status] of [
    ['http://[::1]:49152/cb?a=b', 302],
    ['http://localhost:65535/cb', 302],
    ['http://localhost/cb', 302],
    ['http://127.0.0.1:1/cb', 400],
    ['http://[::1]:49152/cb', 400],
    ['https://localhost:1/cb', 400],
    [REDIRECT_URI.replace('https://client.example.com', 'https://client.example.com:444'), 400],
  ] as const) {
    t.equal((await authorize(server, { clientId, parameters: { redirect_uri } })).answer.status, status, redirect_uri);
  }
});

t.test('grants: a new consent replaces the scopes of the last one, and revoking names what is wrong', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const grants = () => server.call('GET', '/user/oauth/grants', { bearer: person.token });
  await signInToClient(server, person, client, { parameters: { scope: 'email profile phone' } });
  await signInToClient(server, person, client, { parameters: { scope: 'email', prompt: 'consent' } });
  t.same(
    (await grants()).body.map(({ scopes }: { scopes: string[] }) => scopes),
    [['email']],
  );
  const revoke = (query: string) => server.call('DELETE', `/user/oauth/grants${query}`, { bearer: person.token });
  t.match(await revoke(''), { status: 400, body: { msg: 'client_id query parameter is required' } });
  t.match(await revoke('?client_id=x'), { status: 400, body: { msg: 'invalid client_id format' } });
  const { id: other } = await addClient(server);
  t.match(await revoke(`?client_id=${other}`), { status: 404, body: { error_code: 'oauth_consent_not_found' } });
  t.equal((await revoke(`?client_id=${client.id.toUpperCase()}`)).status, 204);
  t.same((await grants()).body, []);
});

t.test('what an update refuses', async (t) => {
  const { id } = await addClient(server);
  const path = `/admin/oauth/clients/${id}`;
  for (const [body, msg] of [
    [{}, 'No fields provided for update'],
    [{ contacts: ['ignored'] }, 'No fields provided for update'],
    [{ redirect_uris: [] }, /redirect_uris/],
    [{ grant_types: [] }, /grant_types/],
    [{ client_type: 'confidential' }, /client_type/],
    [{ token_endpoint_auth_method: 'client_secret_post' }, /does not fit/],
  ] as const) {
    t.match(await admin('PUT', path, body), { status: 400, body: { error_code: 'validation_failed', msg } });
  }
});

t.test(
  'a secret counts in the header and in the body, however the client is registered, at every endpoint',
  async (t) => {
    const grants = ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code', 'authorization_code'];
    const all = await openTestServer(
      t,
      oauthSettings({
        OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
        OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
        OAUTH_SERVER_DEVICE_PATH: '/device',
      }),
    );
    const request = { redirect_uri: REDIRECT_URI, response_type: 'code', code_challenge: VERIFIER };
    const calls: [path: string, form: Record<string, string>, status: number][] = [
      ['/oauth/token', { grant_type: 'client_credentials' }, 200],
      ['/oauth/revoke', { token: 'x' }, 200],
      ['/oauth/introspect', { token: 'x' }, 200],
      ['/oauth/par', { ...request, code_challenge_method: 'plain' }, 201],
      ['/oauth/device_authorization', {}, 200],
    ];
    const open = await addClient(all, { grant_types: grants.slice(1) });
    for (const registered of ['client_secret_basic', 'client_secret_post']) {
      const { id, secret } = await addClient(all, { token_endpoint_auth_method: registered, grant_types: grants });
      const basic = (of: string, text = secret) => ({
        authorization: `Basic ${Buffer.from(`${of}:${text}`).toString('base64')}`,
      });
      for (const [path, form, status] of calls) {
        const name = `${registered}, ${path}`;
        const ask = async (fields: Record<string, string>, headers = {}) =>
          (await postForm(all, path, { ...form, ...fields }, headers)).status;
        t.equal(await ask({}, basic(id)), status, `${name}: header`);
        t.equal(await ask({ client_id: id, client_secret: secret! }), status, `${name}: body`);
        t.equal(await ask({ client_id: id }), 401, `${name}: no secret`);
        t.equal(await ask({ client_id: id, client_secret: `${secret}x` }), 401, `${name}: wrong in the body`);
        t.equal(await ask({}, basic(id, `${secret}x`)), 401, `${name}: wrong in the header`);
        t.equal(await ask({}, basic(open.id)), 401, `${name}: a public client has no secret`);
        t.equal(await ask({ client_id: open.id, client_secret: secret! }), 401, `${name}: nor in the body`);
      }
    }
  },
);

t.test('how a client proves itself can be changed later, and counts at once', async (t) => {
  const { id, secret } = await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' });
  const path = `/admin/oauth/clients/${id}`;
  const ask = (fields: Record<string, string>, headers = {}) =>
    postForm(server, '/oauth/revoke', { token: 'x', ...fields }, headers);
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const changed = await admin('PUT', path, { token_endpoint_auth_method: 'client_secret_post' });
  t.match(changed, {
    status: 200,
    body: { token_endpoint_auth_method: 'client_secret_post', client_type: 'confidential' },
  });
  t.equal((await admin('GET', path)).body.token_endpoint_auth_method, 'client_secret_post', 'and is stored');
  t.equal((await ask({ client_id: id, client_secret: secret! })).status, 200, 'the secret stays');
  t.equal((await ask({}, { authorization })).status, 200);
  t.equal((await admin('PUT', path, { token_endpoint_auth_method: 'none' })).status, 400, 'its type does not change');
  t.equal((await ask({ client_id: id })).status, 401);

  const fields = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' };
  const { body: made } = await server.call('POST', '/oauth/clients/register', { body: fields });
  const own = await server.call('PUT', `/oauth/clients/register/${made.client_id}`, {
    bearer: made.registration_access_token,
    body: { ...fields, client_id: made.client_id, token_endpoint_auth_method: 'client_secret_basic' },
  });
  t.match(own, { status: 200, body: { token_endpoint_auth_method: 'client_secret_basic' } }, 'RFC 7592');
});

t.test('a pending request dies with its client', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  await signInToClient(server, person, client);
  const { location } = await authorize(server, { clientId: client.id });
  t.equal((await admin('DELETE', `/admin/oauth/clients/${client.id}`)).status, 204);
  const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  t.match(await server.call('GET', path, { bearer: person.token }), {
    status: 404,
    body: { error_code: 'oauth_authorization_not_found' },
  });
  t.match(await redeem(server, client, 'x'), { status: 401, body: { error: 'invalid_client' } });
  t.match((await authorize(server, { clientId: client.id })).answer, {
    status: 400,
    body: { msg: 'invalid client_id' },
  });
});

t.test('errors of a request for authorization go to the client, each by its name', async (t) => {
  const { id: clientId } = await addClient(server);
  for (const [parameters, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ request: 'x.y.z' }, 'request_not_supported'],
    [{ scope: ' ' }, 'invalid_scope'],
    [{ resource: 'relative' }, 'invalid_target'],
    [{ resource: 'https://mcp.example.com/#fragment' }, 'invalid_target'],
    [{ resource: 'https://mcp.example.com/?query' }, 'invalid_target'],
    [{ resource: 'http://mcp.example.com/' }, 'invalid_target'],
    [{ code_challenge: null }, 'invalid_request'],
    [{ code_challenge_method: null }, 'invalid_request'],
    [{ code_challenge_method: 'S512' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ max_age: 'old' }, 'invalid_request'],
    [{ nonce: 'x'.repeat(256) }, 'invalid_request'],
  ] as [Record<string, string | null>, string][]) {
    const { answer, location } = await authorize(server, { clientId, parameters });
    t.equal(answer.status, 302);
    t.equal(location.origin + location.pathname, REDIRECT_URI);
    t.equal(errorOf(location), error, JSON.stringify(parameters).slice(0, 60));
    t.ok(location.searchParams.get('error_description'));
    t.equal(location.searchParams.get('state'), 'some state');
    t.equal(location.searchParams.get('iss'), 'http://localhost:9999');
  }
  for (const parameters of [{ response_type: null }, { code_challenge_method: 's256' }, { response_mode: 'query' }]) {
    const { location } = await authorize(server, { clientId, parameters });
    t.match(location.searchParams.get('authorization_id'), /^[a-z2-7]{32}$/, JSON.stringify(parameters));
  }
});

t.test('names of users: preferred_username, else username, else the name', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client, { parameters: { scope: 'profile' } });
  const ask = async (data: object) => {
    const changed = await server.call('PUT', '/user', { bearer: person.token, body: { data } });
    t.equal(changed.status, 200);
    return (await server.call('GET', '/oauth/userinfo', { bearer: body.access_token })).body;
  };
  t.match(await ask({ name: 'Ann' }), { name: 'Ann', preferred_username: 'Ann' });
  t.match(await ask({ username: 'ann42' }), { name: 'Ann', preferred_username: 'ann42' });
  t.match(await ask({ preferred_username: 'ann' }), { name: 'Ann', preferred_username: 'ann' });
  t.match(await ask({ avatar_url: 'https://a.example/1.png' }), { picture: 'https://a.example/1.png' });
  t.match(await ask({ picture: 'https://a.example/2.png' }), { picture: 'https://a.example/2.png' });
});
