/** Pushed authorization requests (RFC 9126). */
import * as oauth from 'oauth4webapi';
import {
  addClient,
  consent,
  oauthSettings,
  postForm,
  REDIRECT_URI,
  redeem,
  signUpPerson,
  type TestClient,
  VERIFIER,
} from '../support/oauth-client.js';
import { openTestServer, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, oauthSettings());
const insecure = { [oauth.allowInsecureRequests]: true };

async function parametersOf(more: Record<string, string> = {}) {
  return {
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'email',
    state: 'pushed state',
    code_challenge: await oauth.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
    ...more,
  };
}

const push = async (client: Pick<TestClient, 'id'>, more: Record<string, string> = {}, on: TestServer = server) =>
  postForm(on, '/oauth/par', { client_id: client.id, ...(await parametersOf(more)) });

async function go(clientId: string, requestUri: string, more: Record<string, string> = {}, on: TestServer = server) {
  const query = new URLSearchParams({ client_id: clientId, request_uri: requestUri, ...more });
  const { status, headers, body } = await on.call('GET', `/oauth/authorize?${query}`);
  return { status, body, location: new URL(headers.get('location') ?? 'about:blank') };
}

t.test('oauth4webapi pushes a request, and the browser brings only its handle', async (t) => {
  const person = await signUpPerson(server);
  const { id, secret } = await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' });
  const client: oauth.Client = { client_id: id };
  const as: oauth.AuthorizationServer = {
    issuer: 'http://localhost:9999',
    pushed_authorization_request_endpoint: `${server.url}/oauth/par`,
  };
  const authentication = oauth.ClientSecretBasic(secret!);
  const parameters = await parametersOf({ login_hint: 'ann@example.com', ui_locales: 'fr' });
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    client,
    await oauth.pushedAuthorizationRequest(as, client, authentication, parameters, insecure),
  );
  t.equal(pushed.expires_in, 60);
  const { status, location } = await go(id, pushed.request_uri, { scope: 'email phone', state: 'injected' });
  t.equal(status, 302);
  t.notOk(pushed.request_uri.includes(location.searchParams.get('authorization_id')!), 'an id of its own');
  const back = await consent(server, person, location);
  t.equal(back.searchParams.get('state'), 'pushed state', 'only what was pushed counts');
  const answer = await postForm(
    server,
    '/oauth/token',
    { grant_type: 'authorization_code', code: back.searchParams.get('code')!, code_verifier: VERIFIER },
    { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
  );
  t.match(answer, { status: 200, body: { scope: 'email' } });
});

t.test('a handle works once, for a minute, and for its client', async (t) => {
  const [client, other] = [await addClient(server), await addClient(server)];
  const uris = await Promise.all(
    Array.from({ length: 3 }, async () => (await push(client)).body.request_uri as string),
  );
  const refused = { status: 400, body: { msg: 'request_uri is unknown, has expired, or was used' } };
  t.match(await go(other.id, uris[0]!), refused, 'of another client');
  const both = await Promise.all([go(client.id, uris[0]!), go(client.id, uris[0]!)]);
  t.same(both.map(({ status }) => status).sort(), [302, 400]);
  t.match(await go(client.id, uris[0]!), refused, 'again');
  await server.database.admin.query(
    "update oauth_authorizations set created_at = now() - interval '61 seconds' where status = 'pushed'",
  );
  t.match(await go(client.id, uris[1]!), refused, 'late');
  t.match(await go(client.id, 'urn:ietf:params:oauth:request_uri:\0'), { status: 400 });

  const person = await signUpPerson(server);
  const { body } = await push(client);
  const id = body.request_uri.split(':').at(-1);
  const details = await server.call('GET', `/oauth/authorizations/${id}`, { bearer: person.token });
  t.equal(details.status, 404, 'nobody can decide before the browser has come');
});

t.test('the checks of the authorization endpoint', async (t) => {
  const client = await addClient(server);
  const secret = await addClient(server, { token_endpoint_auth_method: 'client_secret_post' });
  const cases: readonly [more: Record<string, string>, error: string][] = [
    [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
    [{ redirect_uri: '' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'all' }, 'invalid_scope'],
    [{ resource: 'x' }, 'invalid_target'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ prompt: 'none' }, 'login_required'],
  ];
  for (const [more, error] of cases) {
    t.match(
      await push(client, more),
      { status: 400, body: { error, error_description: String } },
      JSON.stringify(more),
    );
  }
  t.match(await push(secret), { status: 401, body: { error: 'invalid_client' } });
  t.match(await push(client, { client_secret: 'x' }), { status: 401 });
  const basic = await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' });
  const mixed = await postForm(
    server,
    '/oauth/par',
    { client_id: client.id, ...(await parametersOf()) },
    { authorization: `Basic ${Buffer.from(`${basic.id}:${basic.secret}`).toString('base64')}` },
  );
  t.match(mixed, { status: 400, body: { error: 'invalid_request' } }, 'two clients in one request');
  const discovery = await server.call('GET', '/.well-known/oauth-authorization-server');
  t.match(discovery.body, {
    pushed_authorization_request_endpoint: 'http://localhost:9999/oauth/par',
    require_pushed_authorization_requests: false,
  });
});

t.test('pushing can be required', async (t) => {
  const strict = await openTestServer(t, oauthSettings({ OAUTH_SERVER_REQUIRE_PAR: 'true' }));
  const client = await addClient(strict);
  const query = new URLSearchParams({ client_id: client.id, ...(await parametersOf()) });
  const plain = await strict.call('GET', `/oauth/authorize?${query}`);
  const location = new URL(plain.headers.get('location')!);
  t.equal(location.searchParams.get('error'), 'invalid_request');
  const { body } = await push(client, {}, strict);
  const page = await go(client.id, body.request_uri, {}, strict);
  const back = await consent(strict, await signUpPerson(strict), page.location);
  t.equal((await redeem(strict, client, back.searchParams.get('code')!)).status, 200);
  const discovery = await strict.call('GET', '/.well-known/openid-configuration');
  t.equal(discovery.body.require_pushed_authorization_requests, true);
});

t.test('without a page', async (t) => {
  const bare = await openTestServer(t, oauthSettings({ OAUTH_SERVER_AUTHORIZATION_PATH: '' }));
  const answer = await push(await addClient(bare), {}, bare);
  t.match(answer, { status: 400, body: { error: 'server_error' } });
});
