/** Clients that prove who they are by a key (private_key_jwt: RFC 7523, OpenID Connect Core 9), and what attackers try. */
import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID, sign } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { asAdmin } from '../support/admin.js';
import { openClientHost } from '../support/client-host.js';
import { makeProofKey, type ProofKey } from '../support/dpop.js';
import {
  addClient,
  authorize,
  consent,
  discover,
  oauthSettings,
  optionsHere,
  postForm,
  REDIRECT_URI,
  signUpPerson,
  type TestClient,
  VERIFIER,
} from '../support/oauth-client.js';
import { actWith } from '../support/organizations.js';
import { openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const ISSUER = 'http://localhost:9999';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const host = await openClientHost(t);
const same = (databaseUrl: string) => databaseUrl;
const settings = oauthSettings({
  ORGANIZATIONS_ENABLED: 'true',
  OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
  OAUTH_SERVER_DEVICE_GRANT_ENABLED: 'true',
  OAUTH_SERVER_DEVICE_PATH: '/device',
});
const server = actWith(await openTestServer(t, settings, same, host.internet));
const admin = asAdmin(server);
const path = '/admin/oauth/clients';

interface Assertion {
  readonly key: ProofKey;
  readonly clientId: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs by HMAC with it in place of the key. */
  readonly secret?: string | Buffer;
}

const now = (): number => Math.floor(Date.now() / 1000);

/** An assertion that is right, unless something is replaced. */
function assertionOf({ key, clientId, claims, header, secret }: Assertion): string {
  const head: Record<string, unknown> = { alg: key.alg, kid: key.jkt, ...header };
  const body = { iss: clientId, sub: clientId, aud: ISSUER, exp: now() + 60, iat: now(), jti: randomUUID(), ...claims };
  const text = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const hash = key.alg === 'EdDSA' ? null : 'sha256';
  const signature =
    secret === undefined
      ? sign(hash, Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
      : createHmac('sha256', secret).update(text).digest();
  return `${text}.${head['alg'] === 'none' ? '' : signature.toString('base64url')}`;
}

const jwkOf = (key: ProofKey, more: object = {}) => ({ ...key.jwk, kid: key.jkt, alg: key.alg, use: 'sig', ...more });
const machine = { redirect_uris: undefined, grant_types: ['client_credentials'] };
const method = { token_endpoint_auth_method: 'private_key_jwt' };
const keyed = (key: ProofKey, more: object = {}) =>
  addClient(server, { ...machine, ...method, jwks: { keys: [jwkOf(key)] }, ...more });

const send = (where: string, text: string, more: Record<string, string> = {}, to = server) =>
  postForm(to, where, { client_assertion_type: TYPE, client_assertion: text, ...more });
const ask = (text: string, more: Record<string, string> = {}, to = server) =>
  send('/oauth/token', text, { grant_type: 'client_credentials', ...more }, to);
const refused = { status: 401, body: { error: 'invalid_client' } };

t.test('oauth4webapi proves itself by each kind of key', async (t) => {
  const as = await discover(server);
  t.match(as.token_endpoint_auth_methods_supported, ['client_secret_basic', 'client_secret_post', 'private_key_jwt']);
  t.ok(as.token_endpoint_auth_signing_alg_values_supported?.includes('ES256'));
  for (const name of ['none', 'HS256', 'RS384'])
    t.notOk(as.token_endpoint_auth_signing_alg_values_supported?.includes(name));
  t.match(as.revocation_endpoint_auth_methods_supported, as.token_endpoint_auth_methods_supported);
  t.ok(as.introspection_endpoint_auth_methods_supported?.includes('private_key_jwt'));
  for (const alg of ['ES256', 'ES512', 'PS256', 'RS256', 'Ed25519']) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: alg }] };
    const client = await addClient(server, { ...machine, ...method, jwks });
    t.notOk('client_secret' in client.body, 'it has no secret');
    t.match(client.body, { token_endpoint_auth_method: 'private_key_jwt', jwks });
    const rp: oauth.Client = { client_id: client.id };
    const auth = oauth.PrivateKeyJwt({ key: privateKey, kid: alg });
    const answer = await oauth.clientCredentialsGrantRequest(as, rp, auth, new URLSearchParams(), optionsHere(server));
    t.ok((await oauth.processClientCredentialsResponse(as, rp, answer)).access_token, alg);
  }
});

t.test('at every endpoint of clients', async (t) => {
  const key = makeProofKey();
  const client = await keyed(key, {
    redirect_uris: [REDIRECT_URI],
    grant_types: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  });
  const fresh = (claims = {}) => assertionOf({ key, clientId: client.id, claims });
  const person = await signUpPerson(server);
  const { location } = await authorize(server, { clientId: client.id });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  const tokens = await send('/oauth/token', fresh(), {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    client_id: client.id,
  });
  t.equal(tokens.status, 200, JSON.stringify(tokens.body));
  const token = tokens.body.refresh_token;
  t.match((await send('/oauth/introspect', fresh(), { token })).body, { active: true, sub: person.id });
  const renewed = await send('/oauth/token', fresh(), { grant_type: 'refresh_token', refresh_token: token });
  t.equal(renewed.status, 200);
  const pushed = {
    redirect_uri: REDIRECT_URI,
    scope: 'email',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'plain',
  };
  t.equal((await send('/oauth/par', fresh({ aud: `${ISSUER}/oauth/par` }), pushed)).status, 201);
  t.equal((await send('/oauth/device_authorization', fresh({ aud: `${ISSUER}/oauth/token` }))).status, 200);
  t.equal((await send('/oauth/revoke', fresh(), { token: renewed.body.refresh_token })).status, 200);
  t.same((await send('/oauth/introspect', fresh(), { token: renewed.body.refresh_token })).body, { active: false });
  t.equal(
    (
      await server.call('POST', '/oauth/token', {
        body: { grant_type: 'client_credentials', client_assertion_type: TYPE, client_assertion: fresh() },
      })
    ).status,
    200,
    'as JSON',
  );
});

t.test('an assertion works once, at all instances', async (t) => {
  const key = makeProofKey('EdDSA');
  const client = await keyed(key);
  const second = actWith(await openTestServer(t, settings, () => server.database.url));
  const text = assertionOf({ key, clientId: client.id });
  const answers = await Promise.all([ask(text), ask(text, {}, second), ask(text), ask(text, {}, second)]);
  t.same(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  t.match(answers.find(({ status }) => status === 401)?.body.error_description, /used before/);
  const jti = randomUUID();
  t.equal((await ask(assertionOf({ key, clientId: client.id, claims: { jti } }))).status, 200);
  t.match(
    await ask(assertionOf({ key, clientId: client.id, claims: { jti, exp: now() + 100 } })),
    refused,
    'the same id',
  );
  const other = await keyed(key);
  t.equal((await ask(assertionOf({ key, clientId: other.id, claims: { jti } }))).status, 200, 'ids of another client');
});

t.test('claims that are not right', async (t) => {
  const key = makeProofKey();
  const client = await keyed(key);
  const wrong: Record<string, Record<string, unknown>> = {
    'another audience': { aud: 'https://other.example' },
    'no audience': { aud: undefined },
    'an empty list': { aud: [] },
    'another audience beside ours': { aud: [ISSUER, 'https://other.example'] },
    'the address of another endpoint': { aud: `${ISSUER}/oauth/par` },
    'it has expired': { exp: now() - 31 },
    'it never expires': { exp: undefined },
    'exp as a text': { exp: String(now() + 60) },
    'it lives too long': { exp: now() + 3600 },
    'it is not valid yet': { nbf: now() + 120 },
    'made in the future': { iat: now() + 120 },
    'no id': { jti: undefined },
    'an empty id': { jti: '' },
    'a long id': { jti: 'x'.repeat(513) },
    'an id that is no text': { jti: 1 },
    'another issuer': { iss: 'https://other.example' },
    'no issuer': { iss: undefined },
    'no subject': { sub: undefined },
  };
  for (const [name, claims] of Object.entries(wrong)) {
    t.match(await ask(assertionOf({ key, clientId: client.id, claims })), refused, name);
  }
  for (const aud of [ISSUER, `${ISSUER}/oauth/token`, [ISSUER], [ISSUER, `${ISSUER}/oauth/token`]]) {
    t.equal((await ask(assertionOf({ key, clientId: client.id, claims: { aud } }))).status, 200, JSON.stringify(aud));
  }
  t.equal(
    (await ask(assertionOf({ key, clientId: client.id, claims: { exp: now() - 10 } }))).status,
    200,
    'clocks differ',
  );
});

t.test('signatures that are not right', async (t) => {
  const [key, stranger] = [makeProofKey(), makeProofKey()];
  const rsa = makeProofKey('RS256');
  const jwks = { keys: [jwkOf(key), jwkOf(rsa)] };
  const client = await addClient(server, { ...machine, ...method, jwks });
  const other = await keyed(stranger);
  const clientId = client.id;
  const pem = createPublicKey({ key: rsa.jwk as JsonWebKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const attacks: Record<string, string> = {
    'no signature': assertionOf({ key, clientId, header: { alg: 'none' } }),
    'alg in other letters': assertionOf({ key, clientId, header: { alg: 'NONE' } }),
    'HMAC with the public key': assertionOf({ key: rsa, clientId, header: { alg: 'HS256' }, secret: pem as string }),
    'HMAC with the key as JSON': assertionOf({
      key,
      clientId,
      header: { alg: 'HS256' },
      secret: JSON.stringify(jwkOf(key)),
    }),
    'HMAC with nothing': assertionOf({ key, clientId, header: { alg: 'HS256' }, secret: '' }),
    'the key of another client': assertionOf({ key: stranger, clientId }),
    'the key of another client, by our name': assertionOf({ key: stranger, clientId, header: { kid: key.jkt } }),
    'for another client, with our key': assertionOf({ key, clientId: other.id }),
    'a key in the header': assertionOf({ key: stranger, clientId, header: { kid: undefined, jwk: stranger.jwk } }),
    'an address of keys in the header': assertionOf({
      key: stranger,
      clientId,
      header: { jku: host.url('/evil.json') },
    }),
    'an unknown kid': assertionOf({ key, clientId, header: { kid: 'unknown' } }),
    'the kid of a key of another kind': assertionOf({ key, clientId, header: { kid: rsa.jkt } }),
    'an algorithm that the key is not for': assertionOf({ key: rsa, clientId, header: { alg: 'PS256' } }),
    'a critical extension': assertionOf({ key, clientId, header: { crit: ['b64'], b64: true } }),
    'a DPoP proof': assertionOf({ key, clientId, header: { typ: 'dpop+jwt' } }),
    'an access token': assertionOf({ key, clientId, header: { typ: 'at+jwt' } }),
    'a changed payload': assertionOf({ key, clientId }).replace(/\.[^.]+\./, (part) => {
      const claims = JSON.parse(Buffer.from(part.slice(1, -1), 'base64url').toString());
      return `.${Buffer.from(JSON.stringify({ ...claims, jti: 'x' })).toString('base64url')}.`;
    }),
    'no JWT': 'x',
    'an empty one': '..',
    'a long one': assertionOf({ key, clientId, claims: { more: 'x'.repeat(9000) } }),
    'a client that is not there': assertionOf({ key, clientId: randomUUID() }),
    'an id that is none': assertionOf({ key, clientId: 'x' }),
  };
  for (const [name, text] of Object.entries(attacks)) {
    const answer = await ask(text);
    t.match(answer, refused, `${name}: ${JSON.stringify(answer.body)}`);
  }
  t.same(host.asked, [], 'no address of a header is read');
  t.equal((await ask(assertionOf({ key, clientId, header: { kid: undefined } }))).status, 200, 'without a kid');
  t.equal((await ask(assertionOf({ key, clientId, header: { typ: 'client-authentication+jwt' } }))).status, 200);
});

t.test('one way to prove oneself, and only the registered one', async (t) => {
  const key = makeProofKey();
  const client = await keyed(key);
  const bySecret = await addClient(server, {
    ...machine,
    token_endpoint_auth_method: 'client_secret_post',
    jwks: { keys: [jwkOf(key)] },
  });
  const open = await addClient(server, { jwks: { keys: [jwkOf(key)] } });
  const fresh = (clientId = client.id) => assertionOf({ key, clientId });
  t.match(await ask(fresh(bySecret.id)), refused, 'of a client with a secret');
  t.match(await ask(fresh(open.id)), refused, 'of a public client');
  t.match(await ask(fresh(), { client_secret: 'x' }), refused, 'beside a secret');
  const basic = `Basic ${Buffer.from(`${client.id}:x`).toString('base64')}`;
  const form = { grant_type: 'client_credentials', client_assertion_type: TYPE, client_assertion: fresh() };
  t.match(await postForm(server, '/oauth/token', form, { authorization: basic }), refused);
  t.match(await ask(fresh(), { client_id: bySecret.id }), refused, 'another client_id');
  t.equal((await ask(fresh(), { client_id: client.id })).status, 200);
  t.match(await ask(fresh(), { client_assertion_type: 'urn:other' }), refused);
  t.match(
    await postForm(server, '/oauth/token', { grant_type: 'client_credentials', client_assertion: fresh() }),
    refused,
  );
  for (const client_secret of ['', 'x']) {
    t.match(
      await postForm(server, '/oauth/token', { grant_type: 'client_credentials', client_id: client.id, client_secret }),
      refused,
    );
  }
});

t.test('what may be registered', async (t) => {
  const key = makeProofKey();
  const register = (body: object) =>
    server.call('POST', '/oauth/clients/register', { body: { redirect_uris: [REDIRECT_URI], ...method, ...body } });
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { publicKey: small } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const faults: Record<string, object> = {
    'no keys': {},
    'an empty set': { jwks: { keys: [] } },
    both: { jwks: { keys: [jwkOf(key)] }, jwks_uri: host.url('/keys.json') },
    'keys that are no list': { jwks: { keys: 'x' } },
    'a private key': { jwks: { keys: [await exportJWK(privateKey)] } },
    'a symmetric key': { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
    'a key for encryption': { jwks: { keys: [jwkOf(key, { use: 'enc' })] } },
    'an algorithm of another kind': { jwks: { keys: [jwkOf(key, { alg: 'RS256' })] } },
    'no algorithm': { jwks: { keys: [jwkOf(key, { alg: 'none' })] } },
    HMAC: { jwks: { keys: [jwkOf(key, { alg: 'HS256' })] } },
    'a point that is not on the curve': { jwks: { keys: [jwkOf(key, { y: key.jwk['x'] })] } },
    'a short RSA key': { jwks: { keys: [small.export({ format: 'jwk' })] } },
    'the same name twice': { jwks: { keys: [jwkOf(key), jwkOf(makeProofKey(), { kid: key.jkt })] } },
    'eleven keys': { jwks: { keys: Array.from({ length: 11 }, () => jwkOf(key, { kid: undefined })) } },
    http: { jwks_uri: 'http://app.client.example/keys.json' },
    'a password': { jwks_uri: 'https://user:x@app.client.example/keys.json' },
    'a fragment': { jwks_uri: 'https://app.client.example/keys.json#x' },
    'a public client': { client_type: 'public', jwks: { keys: [jwkOf(key)] } },
  };
  for (const [name, body] of Object.entries(faults)) {
    t.match(await register(body), { status: 400, body: { error: 'invalid_client_metadata' } }, name);
  }
  const made = await register({ jwks: { keys: [jwkOf(key, { x5c: ['ignored'] })] } });
  t.match(made, { status: 201, body: { client_type: 'confidential', token_endpoint_auth_method: 'private_key_jwt' } });
  t.notOk('client_secret' in made.body);
  t.notOk('x5c' in made.body.jwks.keys[0]);
  const own = { client_id: made.body.client_id, redirect_uris: [REDIRECT_URI], ...method };
  const change = (body: object) =>
    server.call('PUT', `/oauth/clients/register/${own.client_id}`, {
      bearer: made.body.registration_access_token,
      body: { ...own, ...body },
    });
  t.match(await change({}), { status: 400 }, 'RFC 7592: what is left out ends');
  t.match(await change({ jwks_uri: host.url('/keys.json') }), {
    status: 200,
    body: { jwks_uri: host.url('/keys.json') },
  });
});

t.test('a client changes from a secret to a key, and back', async (t) => {
  const key = makeProofKey();
  const client = await addClient(server, { ...machine, token_endpoint_auth_method: 'client_secret_post' });
  const one = `${path}/${client.id}`;
  const bySecret = (client_secret: string) =>
    postForm(server, '/oauth/token', { grant_type: 'client_credentials', client_id: client.id, client_secret });
  t.match(await admin('PUT', one, method), { status: 400 }, 'it has no keys');
  t.equal((await admin('PUT', one, { ...method, jwks: { keys: [jwkOf(key)] } })).status, 200);
  t.equal((await ask(assertionOf({ key, clientId: client.id }))).status, 200);
  t.match(await bySecret(client.secret!), refused);
  t.match(await admin('POST', `${one}/regenerate_secret`), { status: 400, body: { error_code: 'validation_failed' } });
  t.match(await admin('PUT', one, { jwks: { keys: [] } }), { status: 400 }, 'it needs keys');
  t.equal((await admin('PUT', one, { token_endpoint_auth_method: 'client_secret_post' })).status, 200);
  t.match(await bySecret(client.secret!), refused, 'the secret of before has ended');
  const { body } = await admin('POST', `${one}/regenerate_secret`);
  t.equal((await bySecret(body.client_secret)).status, 200);
  t.match(await ask(assertionOf({ key, clientId: client.id })), refused);
});

t.test('published keys: kept, and read again once for a new one', async (t) => {
  const [first, second] = [makeProofKey(), makeProofKey('EdDSA')];
  const publish = (...keys: object[]) => host.publish('/jwks.json', { body: { keys } });
  const jwks_uri = publish({ kty: 'oct', k: 'x' }, { kty: 'unknown' }, jwkOf(first));
  const client = await addClient(server, { ...machine, ...method, jwks_uri });
  t.match(client.body, { jwks_uri });
  const by = (key: ProofKey, header = {}) => ask(assertionOf({ key, clientId: client.id, header }));
  const reads = () => host.asked.filter((asked) => asked === '/jwks.json').length;
  t.same(await Promise.all([by(first), by(first), by(first)].map(async (one) => (await one).status)), [200, 200, 200]);
  t.equal(reads(), 1, 'read once for all of them');
  publish(jwkOf(second));
  t.equal((await by(first)).status, 200, 'the known key, without another look');
  t.equal(reads(), 1);
  t.equal((await by(second)).status, 200, 'a new key');
  t.equal(reads(), 2);
  t.match(await by(first), refused, 'the one that was withdrawn');
  for (let n = 0; n < 5; n++) t.match(await by(first, { kid: `unknown-${n}` }), refused);
  t.equal(reads(), 2, 'anyone can invent names');
  t.match(await by(first, { kid: undefined, alg: 'HS256' }), refused);
});

t.test('published keys on private networks are not read', async (t) => {
  const key = makeProofKey();
  for (const [n, address] of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1'].entries()) {
    const name = `keys${n}.client.example`;
    host.names.set(name, [address]);
    const before = host.reached.length;
    const client = await addClient(server, { ...machine, ...method, jwks_uri: `https://${name}/jwks.json` });
    t.match(await ask(assertionOf({ key, clientId: client.id })), refused, address);
    t.equal(host.reached.length, before, 'nothing was connected to');
  }
  for (const jwks_uri of ['https://localhost/jwks.json', 'https://10.0.0.1/jwks.json', 'https://[::1]/jwks.json']) {
    const client = await addClient(server, { ...machine, ...method, jwks_uri });
    t.match(await ask(assertionOf({ key, clientId: client.id })), refused, jwks_uri);
  }
});

t.test('published keys that cannot be used', async (t) => {
  const key = makeProofKey();
  const faults = {
    '/missing.json': { status: 404 },
    '/redirect.json': { status: 302, headers: { location: host.url('/jwks.json') } },
    '/text.json': { headers: { 'content-type': 'text/plain' }, body: { keys: [jwkOf(key)] } },
    '/list.json': { body: [jwkOf(key)] },
    '/private.json': { body: { keys: [{ ...jwkOf(key), d: 'x' }] } },
  };
  for (const [place, answer] of Object.entries(faults)) {
    const client = await addClient(server, { ...machine, ...method, jwks_uri: host.publish(place, answer) });
    for (const n of [1, 2]) t.match(await ask(assertionOf({ key, clientId: client.id })), refused, `${place} ${n}`);
    const count = host.asked.filter((asked) => asked === place).length;
    t.ok(count <= 2, 'it is not asked each time');
  }
});

t.test('the key of a customer', async (t) => {
  const key = makeProofKey();
  const owner = await server.join();
  const id = await server.found(owner, 'Keys');
  const made = await server.as(owner, 'POST', `/organizations/${id}/clients`, {
    client_name: 'Import',
    grant_types: ['client_credentials'],
    ...method,
    jwks: { keys: [jwkOf(key)] },
  });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const client: Pick<TestClient, 'id'> = { id: made.body.client_id };
  const { body } = await ask(assertionOf({ key, clientId: client.id }));
  t.match(JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()), {
    org_id: id,
    sub: client.id,
  });
  const secret = await server.as(owner, 'POST', `/organizations/${id}/clients/${client.id}/regenerate_secret`);
  t.match(secret, { status: 400, body: { error_code: 'validation_failed' } });
});
