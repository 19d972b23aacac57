/** Revocation of tokens (RFC 7009). */
import * as oauth from 'oauth4webapi';
import { claimsOf } from '../support/authenticator-app.js';
import {
  addClient,
  discover,
  oauthSettings,
  optionsHere,
  postForm,
  refresh,
  signInToClient,
  signUpPerson,
  type TestClient,
} from '../support/oauth-client.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const server = await openTestServer(t, oauthSettings());
const { call } = server;

const revoke = (client: Pick<TestClient, 'id'>, token: string, more: Record<string, string> = {}) =>
  postForm(server, '/oauth/revoke', { client_id: client.id, token, ...more });

/** Whether an access token gets the user. */
const works = async (token: string) => (await call('GET', '/oauth/userinfo', { bearer: token })).status === 200;

t.test('oauth4webapi revokes a refresh token: its session ends', async (t) => {
  const as = await discover(server);
  t.equal(as.revocation_endpoint, 'http://localhost:9999/oauth/revoke');
  const client = await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' });
  const person = await signUpPerson(server);
  const code = await addClient(server);
  const other = await signInToClient(server, person, code);
  const body = { client_secret: client.secret!, token: other.body.refresh_token };
  const answer = await oauth.revocationRequest(
    as,
    { client_id: client.id },
    oauth.ClientSecretBasic(client.secret!),
    body.token,
    optionsHere(server),
  );
  t.equal(await oauth.processRevocationResponse(answer), undefined);
  t.ok(await works(other.body.access_token), 'of another client: nothing happens');

  const own = await oauth.revocationRequest(
    as,
    { client_id: code.id },
    oauth.None(),
    other.body.refresh_token,
    optionsHere(server),
  );
  t.equal(await oauth.processRevocationResponse(own), undefined);
  t.notOk(await works(other.body.access_token));
  t.match(await refresh(server, code, other.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  const { rows } = await server.database.admin.query(
    "select payload from audit_log where payload ->> 'action' = 'oauth_revoked' and payload ->> 'actor_id' = $1",
    [person.id],
  );
  t.equal(rows.length, 1);
  t.match(rows[0].payload, {
    actor_username: person.email,
    log_type: 'token',
    traits: {
      client_id: code.id,
      session_id: claimsOf(other.body.access_token)['session_id'],
      token_type: 'refresh_token',
    },
  });
});

t.test('an earlier refresh token ends the session, too', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const { body: first } = await signInToClient(server, person, client);
  const { body: next } = await refresh(server, client, first.refresh_token);
  t.equal((await revoke(client, first.refresh_token, { token_type_hint: 'access_token' })).status, 200);
  t.equal((await refresh(server, client, next.refresh_token)).status, 400);
});

t.test('an access token is revoked with those before it; the session goes on', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const { body: first } = await signInToClient(server, person, client);
  const { body: second } = await refresh(server, client, first.refresh_token);
  t.ok(await works(first.access_token));
  t.equal((await revoke(client, second.access_token)).status, 200);
  for (const { access_token } of [first, second]) {
    t.notOk(await works(access_token));
    t.match(await call('GET', '/user', { bearer: access_token }), {
      status: 403,
      body: { error_code: 'session_not_found' },
    });
  }
  const issued = claimsOf(second.access_token)['iat'] as number;
  await until(async () => Math.floor(Date.now() / 1000) > issued);
  const { status, body: third } = await refresh(server, client, second.refresh_token);
  t.equal(status, 200);
  t.ok(await works(third.access_token), 'a later one is valid');
  t.equal((await revoke(client, first.access_token)).status, 200);
  t.ok(await works(third.access_token), 'the mark does not go back');
});

t.test('what is no token of the client changes nothing, and looks the same', async (t) => {
  const [client, stranger, person] = [await addClient(server), await addClient(server), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client, { parameters: { scope: 'openid email' } });
  const tokens = [
    body.access_token,
    body.refresh_token,
    person.token,
    person.refreshToken,
    'nonsense',
    `${body.access_token.slice(0, -4)}AAAA`,
  ];
  for (const token of tokens) t.equal((await revoke(stranger, token)).status, 200);
  for (const token of [person.token, person.refreshToken, body.id_token]) {
    t.equal((await revoke(client, token)).status, 200);
  }
  t.ok(await works(body.access_token));
  t.equal((await call('GET', '/user', { bearer: person.token })).status, 200);
  t.equal((await server.post('/token?grant_type=refresh_token', { refresh_token: person.refreshToken })).status, 200);
});

t.test('who may not ask', async (t) => {
  const client = await addClient(server, { token_endpoint_auth_method: 'client_secret_post' });
  t.match(await revoke(client, 'x', { client_secret: 'wrong' }), { status: 401, body: { error: 'invalid_client' } });
  t.match(await revoke(client, 'x'), { status: 401, body: { error: 'invalid_client' } });
  const none = await postForm(server, '/oauth/revoke', { client_id: client.id, client_secret: client.secret! });
  t.match(none, { status: 400, body: { error: 'invalid_request', error_description: 'token is required' } });
  t.equal(none.headers.get('cache-control'), 'no-store');
  const basic = { authorization: `Basic ${Buffer.from(`${client.id}:wrong`).toString('base64')}` };
  t.match((await postForm(server, '/oauth/revoke', { token: 'x' }, basic)).headers.get('www-authenticate'), /^Basic /);
});
