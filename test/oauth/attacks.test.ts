/** The attacks of RFC 9700 that concern an authorization server, one by one. */

import { endpoints } from '../../src/server/endpoints/index.js';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import { everyFeature } from '../support/every-feature.js';
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

const server = await openTestServer(t, oauthSettings({ ...everyFeature, OAUTH_SERVER_RESOURCES: '' }));
const { call } = server;

async function codeFor(client: { id: string }, person: { token: string }, more: object = {}): Promise<string> {
  const { location } = await authorize(server, { clientId: client.id, ...more });
  return (await consent(server, person, location)).searchParams.get('code')!;
}

t.test('4.1: redirect URIs are compared byte for byte', async (t) => {
  const client = await addClient(server, {
    redirect_uris: [REDIRECT_URI, 'http://127.0.0.1/native', 'com.example.app://back'],
  });
  const status = async (redirect_uri: string) =>
    (await authorize(server, { clientId: client.id, parameters: { redirect_uri } })).answer.status;
  for (const allowed of [REDIRECT_URI, 'http://127.0.0.1:50001/native', 'com.example.app://back']) {
    t.equal(await status(allowed), 302, allowed);
  }
  for (const refused of [
    `${REDIRECT_URI}/`,
    `${REDIRECT_URI}?a=1`,
    `${REDIRECT_URI}/../x`,
    'https://client.example.com.evil.example/callback',
    'https://client.example.com@evil.example/callback',
    'https://CLIENT.example.com/callback',
    'http://client.example.com/callback',
    'https://client.example.com:8443/callback',
    'http://127.0.0.1:50001/other',
    'http://127.0.0.1:50001/native?x',
    'http://127.0.0.1:500011/native',
    'http://127.0.0.1.evil.example/native',
    'http://127.0.0.1:1@evil.example/native',
    'http://localhost:50001/native',
    'https://127.0.0.1:50001/native',
    'com.example.app://back2',
  ]) {
    t.equal(await status(refused), 400, refused);
  }
});

t.test('4.1, 4.10: no error leads anywhere but to a registered URI', async (t) => {
  const client = await addClient(server);
  for (const parameters of [
    { redirect_uri: 'https://evil.example/', scope: 'unknown' },
    { client_id: '00000000-0000-4000-8000-000000000000' },
    { client_id: 'https://evil.example' },
    { redirect_uri: null },
    { client_id: null },
  ] as Record<string, string | null>[]) {
    const { answer } = await authorize(server, { clientId: client.id, parameters });
    t.equal(answer.status, 400, JSON.stringify(parameters));
    t.equal(answer.headers.get('location'), null);
  }
  const { location } = await authorize(server, {
    clientId: client.id,
    parameters: { scope: 'unknown', state: 'a&b=c#d' },
  });
  t.match(location.href, `${REDIRECT_URI}?error=invalid_scope&error_description=unsupported%20scope%3A%20unknown`);
  t.equal(location.searchParams.get('state'), 'a&b=c#d');
  t.equal(location.searchParams.get('iss'), 'http://localhost:9999');
});

t.test('4.4: mix-up: every answer names the issuer', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  for (const action of ['approve', 'deny'] as const) {
    const { location } = await authorize(server, { clientId: client.id });
    const back = await consent(server, person, location, action);
    t.equal(back.searchParams.get('iss'), 'http://localhost:9999', action);
  }
  const { body } = await call('GET', '/.well-known/oauth-authorization-server');
  t.equal(body.authorization_response_iss_parameter_supported, true);
});

t.test('4.5: a code is of one client, one redirect URI and one verifier', async (t) => {
  const [client, other, person] = [await addClient(server), await addClient(server), await signUpPerson(server)];
  const code = await codeFor(client, person);
  const tries = [
    [other, {}],
    [client, { code_verifier: `${VERIFIER}x` }],
    [client, { code_verifier: '' }],
    [client, { redirect_uri: 'https://evil.example/callback' }],
  ] as const;
  for (const [asking, more] of tries) {
    const { status, body } = await redeem(server, asking, code, more);
    t.match({ status, body }, { status: 400, body: { error: 'invalid_grant' } }, JSON.stringify(more));
  }
  t.equal((await redeem(server, client, code)).status, 200, 'none of it burns the code');
});

t.test('4.5.3: of thirty exchanges of a code one wins, and a replay ends its session', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const code = await codeFor(client, person);
  const answers = await Promise.all(Array.from({ length: 30 }, () => redeem(server, client, code)));
  const won = answers.filter(({ status }) => status === 200);
  t.equal(won.length, 1);
  t.same(
    new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error)),
    new Set(['invalid_grant']),
  );
  t.match(await refresh(server, client, won[0]!.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  const { rows } = await server.database.admin.query(
    "select count(*)::int from audit_log where payload ->> 'action' = 'oauth_code_replayed' and payload ->> 'actor_id' = $1",
    [person.id],
  );
  t.ok(rows[0].count >= 1);
});

t.test('4.5.3: a code of another client does not end a session', async (t) => {
  const [client, other, person] = [await addClient(server), await addClient(server), await signUpPerson(server)];
  const code = await codeFor(client, person);
  const { body } = await redeem(server, client, code);
  t.equal((await redeem(server, other, code)).status, 400);
  t.equal((await refresh(server, client, body.refresh_token)).status, 200);
});

t.test('4.8: PKCE cannot be left out', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  for (const parameters of [
    { code_challenge: null, code_challenge_method: null },
    { code_challenge: null },
    { code_challenge_method: null },
    { code_challenge_method: 'none' },
    { code_challenge: 'short' },
  ] as Record<string, string | null>[]) {
    const { location } = await authorize(server, { clientId: client.id, parameters });
    t.equal(location.searchParams.get('error'), 'invalid_request', JSON.stringify(parameters));
  }
  // A verifier that was meant for S256 is none for plain, and the other way round.
  const code = await codeFor(client, person, {
    parameters: { code_challenge: VERIFIER, code_challenge_method: 'plain' },
  });
  t.equal((await redeem(server, client, code)).status, 200);
});

t.test('4.9, 2.3: the token of a client is not its user', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client);
  const bearer = body.access_token;
  t.match(claimsOf(bearer), { sub: person.id, client_id: client.id, scope: 'email', iss: 'http://localhost:9999' });
  t.equal((claimsOf(bearer)['amr'] as { method: string }[])[0]!.method, 'oauth_provider/authorization_code');
  const accepted: string[] = [];
  for (const { id, method, path, caller } of endpoints.filter(
    (one) => one.caller === 'user' || one.caller === 'admin',
  )) {
    const answer = await call(method, path.replaceAll(/\{\w+\}/g, person.id), {
      bearer,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
    });
    if (answer.status < 400) accepted.push(id);
    else {
      t.equal(answer.status, 403, `${method} ${path}`);
      t.equal(answer.body.error_code, caller === 'admin' ? 'not_admin' : 'no_authorization', `${method} ${path}`);
    }
  }
  t.same(accepted.sort(), ['getUser', 'oauthUserinfo', 'oauthUserinfoByPost']);
  t.equal((await call('POST', '/logout?scope=local', { bearer })).status, 204, 'it may give up its own session');
  t.equal((await refresh(server, client, body.refresh_token)).status, 400);
  t.equal((await call('GET', '/user', { bearer: person.token })).status, 200, 'that of the user goes on');
});

t.test('the token of an administrator’s client administrates nothing', async (t) => {
  const [client, person] = [await addClient(server), await signUpPerson(server)];
  await asAdmin(server)('PUT', `/admin/users/${person.id}`, { role: 'service_role' });
  const { body } = await signInToClient(server, person, client);
  t.equal(claimsOf(body.access_token)['role'], 'service_role');
  t.match(await call('GET', '/admin/users', { bearer: body.access_token }), {
    status: 403,
    body: { error_code: 'not_admin' },
  });
});

t.test('4.14: refresh tokens are of one client, rotate, and end when they are used again', async (t) => {
  const [client, other, person] = [await addClient(server), await addClient(server), await signUpPerson(server)];
  const { body } = await signInToClient(server, person, client);
  t.match(await refresh(server, other, body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.match(await refresh(server, client, person.refreshToken), { status: 400, body: { error: 'invalid_grant' } });
  t.match(await server.post('/token?grant_type=refresh_token', { refresh_token: body.refresh_token }), {
    status: 400,
    body: { error: 'invalid_client', msg: 'Client authentication required for OAuth session' },
  });
  const next = await refresh(server, client, body.refresh_token);
  t.equal(next.status, 200, 'none of it has spent the token');
  const last = await refresh(server, client, next.body.refresh_token);
  t.match(await refresh(server, client, body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.match(await refresh(server, client, last.body.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await call('GET', '/user', { bearer: person.token })).status, 200);
});

t.test('4.15: clients cannot be impersonated', async (t) => {
  const confidential = { token_endpoint_auth_method: 'client_secret_basic' };
  const [client, person] = [await addClient(server, confidential), await signUpPerson(server)];
  const code = await codeFor(client, person);
  const form = { grant_type: 'authorization_code', code, code_verifier: VERIFIER };
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  for (const [fields, headers] of [
    [{ ...form, client_id: client.id }, {}],
    [{ ...form, client_id: client.id, client_secret: 'wrong' }, {}],
    [form, basic(client.id, 'wrong')],
    [form, basic(client.id, '')],
    [form, basic('x', client.secret!)],
    [form, {}],
  ] as [Record<string, string>, Record<string, string>][]) {
    const answer = await postForm(server, '/oauth/token', fields, headers);
    t.match(answer, { status: 401, body: { error: 'invalid_client', error_code: 'invalid_credentials' } });
    t.equal(answer.headers.has('www-authenticate'), 'authorization' in headers);
    t.equal(answer.headers.get('cache-control'), 'no-store');
  }
  // RFC 6749 2.3.1: both parts are encoded as in forms.
  const encode = (text: string) => encodeURIComponent(text).replaceAll('-', '%2D').replaceAll('_', '%5F');
  t.equal((await postForm(server, '/oauth/token', form, basic(encode(client.id), encode(client.secret!)))).status, 200);

  const { body: renewed } = await asAdmin(server)('POST', `/admin/oauth/clients/${client.id}/regenerate_secret`);
  t.equal((await postForm(server, '/oauth/token', form, basic(client.id, client.secret!))).status, 401, 'at once');
  t.equal((await postForm(server, '/oauth/token', form, basic(client.id, renewed.client_secret))).status, 400);
});

t.test('consent is that of a session of the user, from a page of the operator', async (t) => {
  const [client, person, stranger] = [await addClient(server), await signUpPerson(server), await signUpPerson(server)];
  const { location } = await authorize(server, { clientId: client.id });
  const path = `/oauth/authorizations/${location.searchParams.get('authorization_id')}`;
  const decide = (bearer: string, headers = {}) =>
    call('POST', `${path}/consent`, { bearer, headers, body: { action: 'approve' } });
  t.equal((await decide(person.token)).status, 404, 'nobody has opened it');
  const evil = { headers: { origin: 'https://evil.example' }, bearer: person.token };
  t.match(await call('GET', path, evil), { status: 400, body: { msg: 'unauthorized request origin' } });
  t.equal((await call('GET', path, { ...evil, headers: { origin: 'http://localhost:3000' } })).status, 200);
  t.equal((await call('GET', path, { bearer: stranger.token })).status, 404, 'it has an owner');
  t.equal((await decide(stranger.token)).status, 404);
  t.equal((await call('POST', `${path}/consent`, { bearer: person.token, body: { action: 'Approve' } })).status, 400);
  const decisions = await Promise.all(Array.from({ length: 10 }, () => decide(person.token)));
  t.equal(decisions.filter(({ status }) => status === 200).length, 1, 'one of ten decides');
});

t.test('a code dies with the password, the client and the grant', async (t) => {
  for (const end of ['password', 'client', 'grant', 'logout'] as const) {
    const [client, person] = [await addClient(server), await signUpPerson(server)];
    const code = await codeFor(client, person);
    if (end === 'password')
      await asAdmin(server)('PUT', `/admin/users/${person.id}`, { password: 'another passphrase' });
    if (end === 'client') await asAdmin(server)('DELETE', `/admin/oauth/clients/${client.id}`);
    if (end === 'grant') await call('DELETE', `/user/oauth/grants?client_id=${client.id}`, { bearer: person.token });
    if (end === 'logout') await call('POST', '/logout', { bearer: person.token });
    t.ok((await redeem(server, client, code)).status >= 400, end);
  }
});
