/** What a server says and wants of keys: nonces, addresses, registration, the hook, metadata documents, CORS. */
import { setTimeout as pause } from 'node:timers/promises';
import { currentNonce, NONCE_STEP_MS } from '../../src/server/dpop/nonce.js';
import { DEVICE_GRANT } from '../../src/server/oauth/client-fields.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { asAdmin } from '../support/admin.js';
import { claimsOf } from '../support/authenticator-app.js';
import { openClientHost } from '../support/client-host.js';
import { ADDRESS, askWithProof, callBound, makeProof, makeProofKey } from '../support/dpop.js';
import { HOOK_SECRET, openHookReceiver } from '../support/hook-receiver.js';
import {
  addClient,
  authorize,
  type CalledServer,
  consent,
  oauthSettings,
  type Person,
  postForm,
  REDIRECT_URI,
  redeem,
  signUpPerson,
  VERIFIER,
} from '../support/oauth-client.js';
import { addDeviceClient, beginDevice, decideDevice, deviceSettings, pollDevice } from '../support/oauth-device.js';
import { JWT_SECRET, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const TOKEN = '/oauth/token';
const INFO = '/oauth/userinfo';

/** Longer than a test takes from its first nonce to its last, also on a busy machine. */
const ROOM_MS = 15_000;

/** The nonce changes with the clock, for all servers at once: what compares two begins where none changes soon. */
async function avoidNonceChange(): Promise<void> {
  const leftMs = NONCE_STEP_MS - (Date.now() % NONCE_STEP_MS);
  if (leftMs < ROOM_MS) await pause(leftMs);
}

async function fieldsFor(server: CalledServer, clientId: string, person: Person) {
  const { location } = await authorize(server, { clientId });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
}

t.test('nonces: wanted where the setting says so, of any instance, for some minutes', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_DPOP_NONCE_REQUIRED: 'true' });
  const server = await openTestServer(t, settings);
  const second = await openTestServer(t, settings, () => server.database.url);
  const stranger = await openTestServer(t, { ...settings, JWT_SECRET: 'another-secret-another-secret-another-42' });
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const fields = await fieldsFor(server, client.id, person);
  await avoidNonceChange();
  const ask = (nonce?: string) =>
    askWithProof(server, client, fields, makeProof({ key, path: TOKEN, claims: { nonce } }));
  const first = await ask();
  t.match(first, { status: 400, body: { error: 'use_dpop_nonce' } });
  const registered = await stranger.post('/oauth/clients/register', {
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  });
  const guest = { id: registered.body.client_id, secret: undefined };
  const foreign = await askWithProof(stranger, guest, fields, makeProof({ key, path: TOKEN }));
  for (const nonce of ['', 'x', foreign.headers.get('dpop-nonce')!]) {
    t.match(await ask(nonce), { status: 400, body: { error: 'use_dpop_nonce' } }, nonce);
  }
  t.match(first.headers.get('access-control-expose-headers'), 'DPoP-Nonce', 'scripts may read it');
  const nonce = first.headers.get('dpop-nonce')!;
  const { status, body } = await ask(nonce);
  t.equal(status, 200);
  const token = body.access_token;
  const info = (one: CalledServer, given?: string) =>
    callBound(one, 'GET', INFO, token, makeProof({ key, method: 'GET', path: INFO, token, claims: { nonce: given } }));
  const refused = await info(second);
  t.equal(refused.status, 401);
  t.match(refused.headers.get('www-authenticate'), /^DPoP algs="[^"]+", error="use_dpop_nonce"/);
  t.equal(refused.headers.get('dpop-nonce'), nonce, 'instances have the same');
  t.equal((await info(second, nonce)).status, 200);
  t.equal((await info(server, nonce)).status, 200, 'a nonce is for many proofs');
});

t.test('a fresh nonce comes with every answer to a proof, before the old one ends (RFC 9449 8.2)', async (t) => {
  const settings = oauthSettings({ OAUTH_SERVER_DPOP_NONCE_REQUIRED: 'true' });
  const server = await openTestServer(t, settings);
  const secrets = { jwtSecret: JWT_SECRET, jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null };
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const fields = await fieldsFor(server, client.id, person);
  await avoidNonceChange();
  const old = currentNonce({ keys: deriveKeys(secrets) }, Date.now() - NONCE_STEP_MS);
  const ask = (more: object, nonce: string) =>
    askWithProof(server, client, { ...fields, ...more }, makeProof({ key, path: TOKEN, claims: { nonce } }));
  const wrong = await ask({ code: 'none' }, old);
  t.match(wrong, { status: 400, body: { error: 'invalid_grant' } });
  const fresh = wrong.headers.get('dpop-nonce')!;
  t.not(fresh, old, 'beside another refusal, too');
  const { status, headers, body } = await ask({}, old);
  t.equal(status, 200);
  t.equal(headers.get('dpop-nonce'), fresh);
  t.match(headers.get('access-control-expose-headers'), 'DPoP-Nonce', 'scripts may read it');
  const token = body.access_token;
  for (const path of [INFO, '/user']) {
    const proof = makeProof({ key, method: 'GET', path, token, claims: { nonce: old } });
    const seen = await callBound(server, 'GET', path, token, proof);
    t.match(
      [seen.status, seen.headers.get('dpop-nonce'), seen.headers.get('cache-control')],
      [200, fresh, 'no-store'],
      path,
    );
  }
  const discovery = await server.call('GET', '/.well-known/oauth-authorization-server', { headers: { dpop: 'x' } });
  t.equal(discovery.headers.get('dpop-nonce'), null, 'not with what caches keep');
  t.equal((await redeem(server, client, 'none')).headers.get('dpop-nonce'), null, 'nor without a proof');
  const unwanted = { ...settings, OAUTH_SERVER_DPOP_NONCE_REQUIRED: 'false' };
  const other = await openTestServer(t, unwanted, () => server.database.url);
  const proof = makeProof({ key, method: 'GET', path: INFO, token });
  const unasked = await callBound(other, 'GET', INFO, token, proof);
  t.match([unasked.status, unasked.headers.get('dpop-nonce')], [200, null], 'nor where none is wanted');
});

t.test('the address is the public one, with the prefix of the proxy', async (t) => {
  const server = await openTestServer(t, oauthSettings({ API_EXTERNAL_URL: 'https://example.com/auth/v1' }));
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const fields = await fieldsFor(server, client.id, person);
  const ask = (htu: string) => askWithProof(server, client, fields, makeProof({ key, path: TOKEN, claims: { htu } }));
  for (const htu of [
    'https://example.com/oauth/token',
    `${server.url}/oauth/token`,
    `${ADDRESS}/auth/v1/oauth/token`,
  ]) {
    t.match(await ask(htu), { status: 400, body: { error: 'invalid_dpop_proof' } }, htu);
  }
  t.equal((await ask('HTTPS://Example.com:443/auth/./v1/oauth/%74oken')).status, 200, 'in another spelling');
});

t.test('the hook custom_access_token cannot unbind a token', async (t) => {
  const receiver = await openHookReceiver(t, ({ body }) => {
    const { cnf: _gone, ...claims } = body.claims;
    return { claims: { ...claims, tenant: 'a' } };
  });
  const server = await openTestServer(
    t,
    oauthSettings({
      HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: 'true',
      HOOK_CUSTOM_ACCESS_TOKEN_URI: receiver.url,
      HOOK_CUSTOM_ACCESS_TOKEN_SECRETS: HOOK_SECRET,
    }),
  );
  for (const method of ['none', 'client_secret_post']) {
    const client = await addClient(server, { token_endpoint_auth_method: method });
    const [person, key] = [await signUpPerson(server), makeProofKey()];
    const fields = await fieldsFor(server, client.id, person);
    const first = await askWithProof(server, client, fields, makeProof({ key, path: TOKEN }));
    t.match(claimsOf(first.body.access_token), { tenant: 'a', cnf: { jkt: key.jkt } });
    const again = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token };
    const next = await askWithProof(server, client, again, makeProof({ key, path: TOKEN }));
    t.match(claimsOf(next.body.access_token), { tenant: 'a', cnf: { jkt: key.jkt } });
    t.match(receiver.calls.at(-1)!.body.claims.cnf, { jkt: key.jkt }, 'the hook sees it');
  }
});

t.test('clients say that they want bound tokens: by registration and by their document', async (t) => {
  const host = await openClientHost(t);
  const server = await openTestServer(t, oauthSettings(), (databaseUrl) => databaseUrl, host.internet);
  const registered = await server.post('/oauth/clients/register', {
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    dpop_bound_access_tokens: true,
  });
  t.match(registered, { status: 201, body: { dpop_bound_access_tokens: true } });
  const unusual = { redirect_uris: [REDIRECT_URI], dpop_bound_access_tokens: 'yes' };
  t.equal((await server.post('/oauth/clients/register', unusual)).status, 400);
  const url = host.publishClient('/bound.json', { dpop_bound_access_tokens: true });
  for (const id of [registered.body.client_id, url]) {
    const [person, key] = [await signUpPerson(server), makeProofKey('EdDSA')];
    const client = { id, secret: undefined };
    const fields = await fieldsFor(server, id, person);
    t.match(await redeem(server, client, fields.code), { status: 400, body: { error: 'invalid_dpop_proof' } });
    const { status, body } = await askWithProof(server, client, fields, makeProof({ key, path: TOKEN }));
    t.equal(status, 200);
    t.match(claimsOf(body.access_token), { client_id: id, cnf: { jkt: key.jkt } });
  }
  const { body: metadata } = await server.call('GET', '/.well-known/oauth-authorization-server');
  t.ok(metadata.dpop_signing_alg_values_supported.includes('ES256'));
  t.notOk(metadata.dpop_signing_alg_values_supported.some((alg: string) => /^(none|HS)/.test(alg)));
  const preflight = await server.call('OPTIONS', INFO, {
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,dpop',
    },
  });
  t.match(preflight.headers.get('access-control-allow-headers'), 'dpop');
});

t.test('used proofs are forgotten when they cannot come again', async (t) => {
  const server = await openTestServer(t, oauthSettings());
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const fields = await fieldsFor(server, client.id, person);
  t.equal((await askWithProof(server, client, fields, makeProof({ key, path: TOKEN }))).status, 200);
  const { rows } = await server.database.admin.query(
    'select octet_length(id) as bytes, extract(epoch from expires_at - now())::int as seconds from dpop_proofs',
  );
  t.match(rows, [{ bytes: 32 }]);
  t.ok(rows[0].seconds > 60 && rows[0].seconds <= 90, `${rows[0].seconds}`);
  // Users without OAuth leave nothing there.
  await server.call('GET', '/user', { bearer: person.token, headers: { dpop: 'x' } });
  t.equal((await server.database.admin.query('select from dpop_proofs')).rowCount, 1);
  t.equal((await asAdmin(server)('GET', '/admin/users')).status, 200);
});

t.test('devices, and pushed requests, have keys, too', async (t) => {
  const server = await openTestServer(t, deviceSettings());
  const person = await signUpPerson(server);
  const [key, other] = [makeProofKey(), makeProofKey()];
  const proof = (path: string, by = key) => makeProof({ key: by, path });

  const device = await addDeviceClient(server, { dpop_bound_access_tokens: true });
  const begun = await beginDevice(server, device);
  await decideDevice(server, person, begun['user_code']!);
  const fields = { grant_type: DEVICE_GRANT, device_code: begun['device_code']! };
  t.match(await pollDevice(server, device, begun['device_code']!), { body: { error: 'invalid_dpop_proof' } });
  const { status, body } = await askWithProof(server, device, fields, proof(TOKEN));
  t.equal(status, 200);
  t.match(claimsOf(body.access_token), { cnf: { jkt: key.jkt } });

  const client = await addClient(server);
  const push = async (more: Record<string, string>, headers: Record<string, string>) =>
    postForm(
      server,
      '/oauth/par',
      {
        client_id: client.id,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'email',
        code_challenge: VERIFIER,
        code_challenge_method: 'plain',
        ...more,
      },
      headers,
    );
  const both = await push({ dpop_jkt: other.jkt }, { dpop: proof('/oauth/par') });
  t.match(both, { status: 400, body: { error: 'invalid_dpop_proof' } }, 'two keys');
  const elsewhere = await push({}, { dpop: proof(TOKEN) });
  t.match(elsewhere, { status: 400, body: { error: 'invalid_dpop_proof' } }, 'a proof for another endpoint');
  for (const [more, headers] of [
    [{ dpop_jkt: key.jkt }, {}],
    [{}, { dpop: proof('/oauth/par') }],
  ] as [Record<string, string>, Record<string, string>][]) {
    const pushed = await push(more, headers);
    t.equal(pushed.status, 201);
    const query = new URLSearchParams({ client_id: client.id, request_uri: pushed.body.request_uri });
    const sent = await server.call('GET', `/oauth/authorize?${query}`);
    const back = await consent(server, person, new URL(sent.headers.get('location')!));
    const code = back.searchParams.get('code')!;
    const redeeming = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
    const stolen = await askWithProof(server, client, redeeming, proof(TOKEN, other));
    t.match(stolen, { status: 400, body: { error: 'invalid_grant' } });
    t.equal((await askWithProof(server, client, redeeming, proof(TOKEN))).status, 200);
  }
});
