/** Codes and tokens in the wrong hands, or taken for something else (RFC 9700 2.1.1, 2.2, 4.5, 4.8, 4.9, 4.14). */
import { createHash } from 'node:crypto';
import * as oidc from 'openid-client';
import { endpoints } from '../../src/server/endpoints/index.js';
import { claimsOf } from '../support/authenticator-app.js';
import { openClientHost } from '../support/client-host.js';
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
  type TestClient,
  VERIFIER,
} from '../support/oauth-client.js';
import { openTestServer, type TestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const server = await openTestServer(t, oauthSettings(everyFeature));
const { call } = server;
const INVALID = { status: 400, body: { error: 'invalid_grant' } };

async function codeFor(client: TestClient, parameters: Record<string, string> = {}) {
  const person = await signUpPerson(server);
  const { location } = await authorize(server, { clientId: client.id, parameters });
  return { person, code: (await consent(server, person, location)).searchParams.get('code')! };
}

t.test('2.1.1, 4.8: PKCE cannot be turned down', async (t) => {
  const client = await addClient(server);
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const { code } = await codeFor(client);
  for (const [what, more] of [
    ['a challenge without a verifier', { code_verifier: '' }],
    ['the challenge as verifier', { code_verifier: challenge }],
    [
      'the challenge with the method in the token request',
      { code_verifier: challenge, code_challenge_method: 'plain' },
    ],
    ['a challenge in the token request', { code_verifier: 'x'.repeat(43), code_challenge: 'x'.repeat(43) }],
    ['a verifier in another case', { code_verifier: VERIFIER.toUpperCase() }],
    ['a verifier that is cut', { code_verifier: VERIFIER.slice(0, -1) }],
    ['a verifier with a NUL byte', { code_verifier: `${VERIFIER}\u0000` }],
  ] as const) {
    const answer = await redeem(server, client, code, more);
    t.match(answer, { status: 400, body: { error: /^invalid_(grant|request)$/ } }, what);
  }
  t.equal((await redeem(server, client, code)).status, 200);
  const plain = await codeFor(client, { code_challenge: VERIFIER, code_challenge_method: 'plain' });
  const hashed = createHash('sha256').update(VERIFIER).digest('base64url');
  t.match(await redeem(server, client, plain.code, { code_verifier: hashed }), INVALID, 'plain is not S256');
  t.equal((await redeem(server, client, plain.code)).status, 200);
  // RFC 9700 2.1.1: a verifier without a challenge. No request gets that far.
  const without = { code_challenge: null, code_challenge_method: null };
  const { location } = await authorize(server, { clientId: client.id, parameters: without });
  t.equal(location.searchParams.get('error'), 'invalid_request');
});

t.test('4.5: a stolen code is worth nothing: not twice, not to others, not beside a race', async (t) => {
  const confidential = { token_endpoint_auth_method: 'client_secret_post' };
  const [client, thief] = [await addClient(server, confidential), await addClient(server)];
  const { code } = await codeFor(client);
  t.match(await redeem(server, thief, code), INVALID, 'a public client');
  const impostor = { id: client.id, secret: undefined };
  t.match(
    await redeem(server, impostor, code),
    { status: 401, body: { error: 'invalid_client' } },
    'without the secret',
  );
  for (const guess of ['', code.slice(1), `${code}x`, code.toUpperCase(), 'null', '\u0000', `${code}\u0000`]) {
    const { status, body } = await redeem(server, client, guess);
    t.equal(status, 400, guess);
    t.match(body.error, /invalid_(grant|request)/, guess);
  }
  const query = new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: VERIFIER });
  const secret = { client_id: client.id, client_secret: client.secret! };
  t.match(await postForm(server, `/oauth/token?${query}`, secret), { status: 400, body: { error: 'invalid_request' } });
  const { status, body } = await redeem(server, client, code);
  t.equal(status, 200);
  const replays = await Promise.all(Array.from({ length: 5 }, () => redeem(server, client, code)));
  for (const replay of replays) t.match(replay, INVALID);
  t.match(await refresh(server, client, body.refresh_token), INVALID, 'the replay ends what the code gave');
});

t.test('4.9: an ID token is no access token, and the other way round', async (t) => {
  const client = await addClient(server);
  const parameters = { scope: 'openid email' };
  const { person, code } = await codeFor(client, parameters);
  const { body } = await redeem(server, client, code);
  const { id_token: idToken, access_token: accessToken } = body;
  t.match(claimsOf(idToken), { aud: client.id, sub: person.id });

  const managing = await openTestServer(
    t,
    oauthSettings({ ...everyFeature, OAUTH_SERVER_CLIENT_TOKENS_MANAGE_ACCOUNT: 'true' }),
  );
  for (const one of [server, managing]) {
    const own = one === server ? idToken : await idTokenOf(one);
    for (const { method, path, caller } of endpoints.filter(
      (endpoint) => endpoint.caller === 'user' || endpoint.caller === 'admin',
    )) {
      const { status } = await one.call(method, path.replaceAll(/\{\w+\}/g, person.id), {
        bearer: own,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
      });
      t.equal(status, path === '/oauth/userinfo' ? 401 : 403, `${method} ${path} (${caller})`);
    }
  }

  // A client that checks ID tokens by the rules does not take an access token for one.
  const issuer = 'http://localhost:9999';
  const config = new oidc.Configuration(
    { issuer, token_endpoint: `${issuer}/oauth/token`, id_token_signing_alg_values_supported: ['ES256'] },
    client.id,
    undefined,
    oidc.None(),
  );
  oidc.allowInsecureRequests(config);
  const answerWith = (token: string) => {
    config[oidc.customFetch] = async () =>
      Response.json({ access_token: accessToken, token_type: 'bearer', id_token: token });
    const back = new URL(`${REDIRECT_URI}?code=x&iss=${encodeURIComponent(issuer)}`);
    const checks = { pkceCodeVerifier: VERIFIER, idTokenExpected: true };
    return oidc.authorizationCodeGrant(config, back, checks);
  };
  t.ok(await answerWith(idToken));
  const refused = await answerWith(accessToken).catch((error: Error) => error);
  t.match((refused as { cause?: Error }).cause?.message, 'unexpected JWT "aud" (audience) claim value');
});

async function idTokenOf(one: TestServer): Promise<string> {
  const [client, person] = [await addClient(one), await signUpPerson(one)];
  const { body } = await signInToClient(one, person, client, { parameters: { scope: 'openid' } });
  return body.id_token;
}

t.test('4.9, 4.10: tokens are of their client, their resource and their kind', async (t) => {
  const [client, other] = [await addClient(server), await addClient(server)];
  const person = await signUpPerson(server);
  const resources = ['https://notes.example.com/'];
  const { body } = await signInToClient(server, person, client, { resources });
  t.match(claimsOf(body.access_token), { aud: resources[0], client_id: client.id });
  for (const [what, asking, token] of [
    ['of another client', other, body.refresh_token],
    ['an access token', client, body.access_token],
    ['of the person', client, person.refreshToken],
    ['the access token of the person', client, person.token],
  ] as const) {
    t.match(await refresh(server, asking, token), INVALID, `a refresh token ${what}`);
  }
  for (const resource of ['https://bank.example.com/', 'https://notes.example.com/../', 'https://notes.example.com']) {
    const answer = await refresh(server, client, body.refresh_token, { resource });
    t.match(answer, { status: 400, body: { error: 'invalid_target' } }, resource);
  }
  for (const scope of ['email profile', 'email openid', 'admin']) {
    const answer = await refresh(server, client, body.refresh_token, { scope });
    t.match(answer, { status: 400, body: { error: 'invalid_scope' } }, scope);
  }
  t.equal((await refresh(server, client, body.refresh_token)).status, 200, 'none of it has spent the token');
  t.match(await call('GET', `/oauth/userinfo?access_token=${body.access_token}`), { status: 401 }, 'RFC 9700 4.3.2');
});

t.test('4.9: no access token looks like the ID token of a client with a document', async (t) => {
  const host = await openClientHost(t);
  const open = await openTestServer(t, oauthSettings(), (databaseUrl) => databaseUrl, host.internet);
  const victim = host.publishClient('/victim.json');
  t.equal((await authorize(open, { clientId: victim })).answer.status, 302);
  const { id } = await addClient(open);
  const { location } = await authorize(open, { clientId: id, resources: [victim] });
  t.equal(location.searchParams.get('error'), 'invalid_target');
  const other = await authorize(open, { clientId: id, resources: [host.url('/mcp')] });
  t.ok(other.location.searchParams.has('authorization_id'), 'a resource on the same host is fine');
});

t.test('4.14: a stolen refresh token ends the family, whoever comes second', async (t) => {
  for (const winner of ['owner', 'thief'] as const) {
    const client = await addClient(server);
    const person = await signUpPerson(server);
    const { body } = await signInToClient(server, person, client);
    // One of both goes on for two steps; then the other one comes with the token that both had.
    const next = (await refresh(server, client, body.refresh_token)).body;
    const last = (await refresh(server, client, next.refresh_token)).body;
    t.match(await refresh(server, client, body.refresh_token), INVALID, winner);
    t.match(await refresh(server, client, last.refresh_token), INVALID, `${winner}: the whole family`);
    t.equal((await call('GET', '/user', { bearer: person.token })).status, 200, 'the person is still signed in');
  }
});

t.test('4.14: one of many parallel refreshes rotates, the others get the same token', async (t) => {
  const client = await addClient(server);
  const { body } = await signInToClient(server, await signUpPerson(server), client);
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(server, client, body.refresh_token)));
  const tokens = new Set(answers.map((answer) => answer.body.refresh_token));
  t.same([...new Set(answers.map(({ status }) => status))], [200]);
  t.equal(tokens.size, 1);
});

t.test('4.15: nobody is a client by saying so', async (t) => {
  const [client, other] = [
    await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' }),
    await addClient(server, { token_endpoint_auth_method: 'client_secret_basic' }),
  ];
  const { body } = await (async () => {
    const { code } = await codeFor(client);
    return withBasic(client, { grant_type: 'authorization_code', code, code_verifier: VERIFIER });
  })();
  const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  const refused = { status: 401, body: { error: 'invalid_client' } };
  t.match(await postForm(server, '/oauth/token', { ...form, client_id: client.id }), refused, 'as a public client');
  t.match(await withBasic({ id: client.id, secret: other.secret }, form), refused, 'with the secret of another one');
  t.match(await withBasic(other, { ...form, client_id: client.id }), INVALID, 'the header counts, not the body');
  const unknown = { id: '00000000-0000-4000-8000-000000000000', secret: client.secret };
  t.match(await withBasic(unknown, form), refused);
  t.equal((await withBasic(client, form)).status, 200);
});

function withBasic({ id, secret }: { id: string; secret: string | undefined }, fields: Record<string, string>) {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return postForm(server, '/oauth/token', fields, { authorization });
}
