/** Introspection of tokens (RFC 7662). */
import * as oauth from 'oauth4webapi';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import {
  addClient,
  discover,
  oauthSettings,
  optionsHere,
  type Person,
  postForm,
  refresh,
  signInToClient,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const server = await openTestServer(t, oauthSettings());
const { call } = server;
const admin = asAdmin(server);
const secretPost = { token_endpoint_auth_method: 'client_secret_post' };
const resourceServer = await addClient(server, { ...secretPost, resources: [RESOURCE] });

const introspect = (asking: TestClient, token: string) =>
  postForm(server, '/oauth/introspect', { client_id: asking.id, client_secret: asking.secret!, token });

const isActive = async (token: string, asking = resourceServer): Promise<boolean> => {
  const { status, body } = await introspect(asking, token);
  if (status !== 200) throw new Error(JSON.stringify(body));
  if (!body.active && Object.keys(body).length > 1) throw new Error(`more than active: ${JSON.stringify(body)}`);
  return body.active;
};

async function tokensFor(resources: readonly string[] = [RESOURCE], more: Record<string, unknown> = {}) {
  const [client, person] = [await addClient(server, more), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client, { resources });
  return { client, person, access: body.access_token as string, refresh: body.refresh_token as string };
}

t.test('oauth4webapi asks about tokens for a resource', async (t) => {
  const as = await discover(server);
  const { client, person, ...tokens } = await tokensFor();
  const rs: oauth.Client = { client_id: resourceServer.id };
  const ask = async (token: string) =>
    oauth.processIntrospectionResponse(
      as,
      rs,
      await oauth.introspectionRequest(
        as,
        rs,
        oauth.ClientSecretPost(resourceServer.secret!),
        token,
        optionsHere(server),
      ),
    );
  const { iat, exp } = claimsOf(tokens.access);
  t.same(await ask(tokens.access), {
    active: true,
    client_id: client.id,
    sub: person.id,
    iss: 'http://localhost:9999',
    aud: RESOURCE,
    scope: 'email',
    exp,
    iat,
    token_type: 'Bearer',
  });
  t.same(await ask(tokens.refresh), {
    active: true,
    client_id: client.id,
    sub: person.id,
    iss: 'http://localhost:9999',
    aud: RESOURCE,
    scope: 'email',
  });
  t.same(await ask('nonsense'), { active: false });
});

t.test('only the client of a token, and who serves its resource', async (t) => {
  const stranger = await addClient(server, { ...secretPost, resources: ['https://other.example.com/'] });
  const confidential = await addClient(server, secretPost);
  const [person, both] = [await signUpPerson(server), [RESOURCE, 'https://other.example.com/']];
  const { body } = await signInToClient(server, person, confidential, { resources: both });
  for (const token of [body.access_token, body.refresh_token]) {
    t.ok(await isActive(token, confidential), 'its own');
    t.ok(await isActive(token, resourceServer));
    t.ok(await isActive(token, stranger));
  }
  const { body: plain } = await signInToClient(server, person, confidential);
  for (const token of [plain.access_token, plain.refresh_token]) {
    t.ok(await isActive(token, confidential));
    t.notOk(await isActive(token, resourceServer));
  }
  for (const token of [person.token, person.refreshToken]) {
    t.notOk(await isActive(token, confidential), 'tokens of the user concern no client');
  }
  const { body: openid } = await signInToClient(server, person, confidential, { parameters: { scope: 'openid' } });
  t.notOk(await isActive(openid.id_token, confidential), 'an ID token is none');
});

t.test('a client without a secret may not ask', async (t) => {
  const open = await addClient(server, { resources: [RESOURCE] });
  const { access } = await tokensFor();
  t.match(await postForm(server, '/oauth/introspect', { client_id: open.id, token: access }), {
    status: 401,
    body: { error: 'invalid_client' },
  });
  t.match(await introspect({ ...resourceServer, secret: 'wrong' }, access), { status: 401 });
  t.match(await postForm(server, '/oauth/introspect', { token: access }), { status: 401 });
  const none = { client_id: resourceServer.id, client_secret: resourceServer.secret! };
  t.match(await postForm(server, '/oauth/introspect', none), { status: 400, body: { error: 'invalid_request' } });
});

type Tokens = Awaited<ReturnType<typeof tokensFor>>;
/** What ends the tokens of a client, and whether the access tokens end with the refresh token. */
const ends: Readonly<Record<string, (given: Tokens) => Promise<{ status: number }>>> = {
  'a logout of the user': ({ person }) => call('POST', '/logout', { bearer: person.token }),
  'a ban': ({ person }) => admin('PUT', `/admin/users/${person.id}`, { ban_duration: '1h' }),
  'the end of the account': ({ person }) => admin('DELETE', `/admin/users/${person.id}`),
  'a soft end of the account': ({ person }) =>
    admin('DELETE', `/admin/users/${person.id}`, { should_soft_delete: true }),
  'the end of the grant': ({ person, client }) =>
    call('DELETE', `/user/oauth/grants?client_id=${client.id}`, { bearer: person.token }),
  'the end of the client': ({ client }) => admin('DELETE', `/admin/oauth/clients/${client.id}`),
  'a revoked refresh token': ({ client, refresh: token }) =>
    postForm(server, '/oauth/revoke', { client_id: client.id, token }),
  'a replayed refresh token': async ({ client, refresh: token }) => {
    const { body } = await refresh(server, client, token);
    await refresh(server, client, body.refresh_token);
    return { status: (await refresh(server, client, token)).status === 400 ? 200 : 0 };
  },
};

for (const [name, end] of Object.entries(ends)) {
  t.test(`inactive after ${name}`, async (t) => {
    const tokens = await tokensFor();
    t.same([await isActive(tokens.access), await isActive(tokens.refresh)], [true, true]);
    t.ok([200, 204].includes((await end(tokens)).status));
    t.same([await isActive(tokens.access), await isActive(tokens.refresh)], [false, false]);
  });
}

t.test('a revoked access token, a spent refresh token, and the end of a session by time', async (t) => {
  const { client, access, refresh: first } = await tokensFor([RESOURCE], { refresh_token_ttl: 3600 });
  t.type((await introspect(resourceServer, first)).body.exp, 'number');
  await postForm(server, '/oauth/revoke', { client_id: client.id, token: access });
  t.same([await isActive(access), await isActive(first)], [false, true]);
  const { body } = await refresh(server, client, first);
  t.same([await isActive(first), await isActive(body.refresh_token)], [false, true]);
  await server.database.admin.query('update sessions set not_after = now() where oauth_client_id = $1', [client.id]);
  t.notOk(await isActive(body.refresh_token));

  const idle = await openTestServer(t, oauthSettings({ OAUTH_SERVER_REFRESH_TOKEN_IDLE_TTL: '1h' }));
  const [owner, person]: [TestClient, Person] = [await addClient(idle, secretPost), await signUpPerson(idle)];
  const { body: old } = await signInToClient(idle, person, owner);
  await idle.database.admin.query("update sessions set created_at = now() - interval '2 hours'");
  const ask = (token: string) =>
    postForm(idle, '/oauth/introspect', { client_id: owner.id, client_secret: owner.secret!, token });
  t.same((await ask(old.refresh_token)).body, { active: false });
  t.equal((await ask(old.access_token)).body.active, true, 'until it expires');
});

t.test('resources of a client', async (t) => {
  const one = `/admin/oauth/clients/${resourceServer.id}`;
  t.same((await admin('GET', one)).body.resources, [RESOURCE]);
  for (const resources of [['nonsense'], ['http://a.example/'], ['https://a.example/#f']]) {
    t.match(await admin('PUT', one, { resources }), { status: 400, body: { error_code: 'validation_failed' } });
  }
  const other = await addClient(server, { ...secretPost, resources: [RESOURCE] });
  const { access } = await tokensFor();
  t.ok(await isActive(access, other));
  t.notOk('resources' in (await admin('PUT', `/admin/oauth/clients/${other.id}`, { resources: [] })).body);
  t.notOk(await isActive(access, other));
  const { body } = await server.call('POST', '/oauth/clients/register', {
    body: { redirect_uris: ['https://a.example/'], resources: [RESOURCE] },
  });
  const self = { id: body.client_id, secret: body.client_secret, body };
  const basic = { authorization: `Basic ${Buffer.from(`${self.id}:${self.secret}`).toString('base64')}` };
  t.same(
    (await postForm(server, '/oauth/introspect', { token: access }, basic)).body,
    { active: false },
    'a client that registers itself cannot claim a resource',
  );
});
