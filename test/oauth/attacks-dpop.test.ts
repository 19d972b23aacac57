/** Tokens that are bound to a key, and proofs, in the wrong hands (RFC 9449 4.3, 11). */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { asAdmin } from '../support/admin.js';
import { askWithProof, callBound, makeProof, makeProofKey, type Proof, type ProofKey } from '../support/dpop.js';
import {
  addClient,
  authorize,
  consent,
  oauthSettings,
  type Person,
  REDIRECT_URI,
  refresh,
  signUpPerson,
  type TestClient,
  VERIFIER,
} from '../support/oauth-client.js';
import { type Answer, openTestServer } from '../support/server.js';
import { t } from '../support/tap.js';

const settings = oauthSettings();
const server = await openTestServer(t, settings);
const { call } = server;
const PROOF_REFUSED = { status: 400, body: { error: 'invalid_dpop_proof' } };
const GRANT_REFUSED = { status: 400, body: { error: 'invalid_grant' } };
const TOKEN = '/oauth/token';
const nowSeconds = () => Math.floor(Date.now() / 1000);

async function codeFor(client: TestClient, person: Person, parameters: Record<string, string> = {}) {
  const { location } = await authorize(server, { clientId: client.id, parameters });
  const code = (await consent(server, person, location)).searchParams.get('code')!;
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
}

const refreshing = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });

/** A client with tokens that are bound to its key. */
async function openBound(more: Record<string, unknown> = {}) {
  const [client, person, key] = [await addClient(server, more), await signUpPerson(server), makeProofKey()];
  const answer = await askWithProof(server, client, await codeFor(client, person), makeProof({ key, path: TOKEN }));
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return { client, person, key, token: answer.body.access_token as string, refreshToken: answer.body.refresh_token };
}

/** GET /oauth/userinfo of the holder, with something replaced. */
const userinfo = (token: string, key: ProofKey, more: Partial<Proof> = {}) =>
  callBound(server, 'GET', INFO, token, makeProof({ key, method: 'GET', path: INFO, token, ...more }));
const INFO = '/oauth/userinfo';

const challengeOf = ({ headers }: Answer): string => headers.get('www-authenticate') ?? '';

/** Proofs that are none, whatever they are for. */
function falseProofs(key: ProofKey, right: Omit<Proof, 'key'>): readonly (readonly [what: string, proof: string])[] {
  const other = makeProofKey();
  const proof = (more: Partial<Proof>) => makeProof({ key, ...right, ...more });
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const odd = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
  const rsa = ({ publicKey, privateKey }: typeof small) =>
    proof({
      key: { alg: 'RS256', privateKey, jwk: publicKey.export({ format: 'jwk' }) as Record<string, unknown>, jkt: '' },
    });
  return [
    ['alg none', proof({ header: { alg: 'none' } })],
    ['HS256, by the public key as secret', proof({ header: { alg: 'HS256' }, secret: JSON.stringify(key.jwk) })],
    [
      'HS256, by a secret in the header',
      proof({ header: { alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } }, secret: 'secret' }),
    ],
    ['a private key in the header', proof({ header: { jwk: key.privateKey.export({ format: 'jwk' }) } })],
    ['no key in the header', proof({ header: { jwk: undefined } })],
    ['a key by its id', proof({ header: { jwk: undefined, kid: 'x', jku: 'https://evil.example/jwks' } })],
    ['the signature of another key', proof({ signWith: other.privateKey })],
    ['the algorithm of another key', proof({ header: { alg: 'ES384' } })],
    ['another type of token', proof({ header: { typ: 'JWT' } })],
    ['a critical extension', proof({ header: { crit: ['x'], x: true } })],
    ['RSA of 1024 bits', rsa(small)],
    ['RSA with the exponent 3', rsa(odd)],
    ['no jti', proof({ claims: { jti: undefined } })],
    ['an empty jti', proof({ claims: { jti: '' } })],
    ['a jti that is no text', proof({ claims: { jti: 7 } })],
    ['a jti of a kilobyte', proof({ claims: { jti: 'x'.repeat(1024) } })],
    ['another method', proof({ claims: { htm: 'PUT' } })],
    ['the method in lower case', proof({ claims: { htm: right.method === 'GET' ? 'get' : 'post' } })],
    ['no address', proof({ claims: { htu: undefined } })],
    ['a path alone', proof({ claims: { htu: right.path } })],
    ['another path', proof({ path: '/oauth/revoke' })],
    ['a longer path', proof({ path: `${right.path}/x` })],
    ['an encoded slash', proof({ path: right.path.replace('/oauth/', '/oauth%2F') })],
    ['another host', proof({ claims: { htu: `http://evil.example:9999${right.path}` } })],
    ['another scheme', proof({ claims: { htu: `https://localhost:9999${right.path}` } })],
    ['the host as a name of a user', proof({ claims: { htu: `http://localhost:9999@localhost:9999${right.path}` } })],
    ['no time', proof({ claims: { iat: undefined } })],
    ['a time as text', proof({ claims: { iat: String(nowSeconds()) } })],
    ['too old', proof({ claims: { iat: nowSeconds() - 95 } })],
    ['of the future', proof({ claims: { iat: nowSeconds() + 40 } })],
    ['expired by its own words', proof({ claims: { exp: nowSeconds() - 10 } })],
    ['too long', proof({ claims: { padding: 'x'.repeat(4000) } })],
    ['no JWT', 'x'],
    ['nothing', ''],
  ];
}

t.test('the token endpoint: proofs that are none spend no code, and no refresh token', async (t) => {
  const { client, person, key, refreshToken } = await openBound();
  const fields = await codeFor(client, person);
  for (const [what, proof] of falseProofs(key, { path: TOKEN })) {
    for (const grant of [fields, refreshing(refreshToken)]) {
      t.match(await askWithProof(server, client, grant, proof), PROOF_REFUSED, `${grant.grant_type}: ${what}`);
    }
  }
  const two = [makeProof({ key, path: TOKEN }), makeProof({ key, path: TOKEN })];
  t.equal(await sendTwice(client, fields, two), 400, 'two proofs');
  for (const grant of [fields, refreshing(refreshToken)]) {
    const proof = makeProof({ key, path: `${TOKEN}?ignored=1#x`, claims: { iat: nowSeconds() - 45 } });
    t.match(await askWithProof(server, client, grant, proof), { status: 200, body: { token_type: 'DPoP' } });
    t.match(await askWithProof(server, client, grant, proof), PROOF_REFUSED, 'the same proof again');
  }
});

/** Two header lines, which fetch would join. @returns the status */
const sendTwice = (client: TestClient, fields: Record<string, string>, dpop: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', dpop };
    const sent = request(server.url + TOKEN, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on('error', reject);
    sent.end(new URLSearchParams({ client_id: client.id, ...fields }).toString());
  });

t.test('resources: a stolen token is worth nothing without the key', async (t) => {
  const { client, person, key, token } = await openBound();
  const other = await openBound();
  t.match(await userinfo(token, key), { status: 200, body: { sub: person.id } });
  for (const path of [INFO, '/user']) {
    const bearer = await call('GET', path, { bearer: token });
    t.equal(bearer.status, 401, `${path}: as a bearer token`);
    t.match(challengeOf(bearer), /^DPoP algs="ES256 .*", error="invalid_token"/);
    const proof = makeProof({ key, method: 'GET', path, token });
    const both = await call('GET', path, { headers: { authorization: `Bearer ${token}`, dpop: proof } });
    t.equal(both.status, 401, `${path}: as a bearer token with its proof (RFC 9449 7.2)`);
    const bare = await call('GET', path, { headers: { authorization: `DPoP ${token}` } });
    t.equal(bare.status, 401, `${path}: without a proof`);
    t.match(challengeOf(bare), 'error="invalid_dpop_proof"');
  }
  for (const [what, proof] of falseProofs(key, { method: 'GET', path: INFO, token })) {
    const answer = await callBound(server, 'GET', INFO, token, proof);
    t.match(answer, { status: 401, body: { error_code: 'invalid_dpop_proof' } }, what);
    t.match(challengeOf(answer), 'error="invalid_dpop_proof"', what);
  }
  const foreign = await userinfo(token, other.key);
  t.equal(foreign.status, 401, 'with the key of another client');
  t.match(challengeOf(foreign), 'error="invalid_token"');
  for (const ath of [other.token, token.slice(0, -1), '']) {
    t.match(await userinfo(token, key, { token: ath }), { status: 401 }, 'ath of another token');
  }
  t.match(await userinfo(token, key, { claims: { ath: undefined } }), { status: 401 }, 'without ath');
  const used = makeProof({ key, method: 'GET', path: INFO, token });
  t.equal((await callBound(server, 'GET', INFO, token, used)).status, 200);
  t.match(await callBound(server, 'GET', INFO, token, used), { status: 401 }, 'a proof that was seen');
  // The same id for another address is the same proof.
  const jti = randomUUID();
  t.equal((await userinfo(token, key, { claims: { jti } })).status, 200);
  const again = makeProof({ key, method: 'GET', path: '/user', token, claims: { jti } });
  t.match(await callBound(server, 'GET', '/user', token, again), { status: 401 });
  t.equal((await userinfo(other.token, other.key, { claims: { jti } })).status, 200, 'an id of another key');
  t.match(await call('POST', '/oauth/revoke', { body: { token, client_id: client.id } }), { status: 200 });
  t.match(await userinfo(token, key), { status: 401 }, 'a revoked token ends for its holder, too');
});

t.test('a bearer token does not become a bound one by its scheme', async (t) => {
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const plain = await refreshOf(client, person);
  for (const token of [plain.access_token, person.token]) {
    const answer = await userinfo(token, key);
    t.equal(answer.status, 401);
    t.match(challengeOf(answer), 'error="invalid_token"');
    const proof = makeProof({ key, method: 'GET', path: INFO, token });
    const bearer = await call('GET', INFO, { headers: { authorization: `Bearer ${token}`, dpop: proof } });
    t.equal(bearer.status, 200, 'with a proof that nobody asked for');
  }
  const users = await asAdmin(server)('GET', '/admin/users', undefined, { authorization: 'DPoP x' });
  t.equal(users.status, 401, 'administrators have bearer tokens');
});

async function refreshOf(client: TestClient, person: Person) {
  const { body } = await askPlain(client, await codeFor(client, person));
  return body;
}
const askPlain = (client: TestClient, fields: Record<string, string>) => refresh(server, client, '', fields);

t.test('refresh tokens of public clients are bound, those of others are not', async (t) => {
  const { client, person, key, refreshToken } = await openBound();
  const other = makeProofKey();
  const theirs = () => makeProof({ key: other, path: TOKEN });
  for (const [what, ask] of [
    ['without a proof', () => refresh(server, client, refreshToken)],
    ['with another key', () => askWithProof(server, client, refreshing(refreshToken), theirs())],
  ] as const) {
    t.match(await ask(), GRANT_REFUSED, what);
  }
  const next = await askWithProof(server, client, refreshing(refreshToken), makeProof({ key, path: TOKEN }));
  t.equal(next.status, 200, 'none of it has spent the token');
  const last = await askWithProof(server, client, refreshing(next.body.refresh_token), makeProof({ key, path: TOKEN }));
  // Two generations later: to its holder it would end the family.
  for (let n = 0; n < 2; n++) {
    const thief = theirs();
    t.match(await askWithProof(server, client, refreshing(refreshToken), thief), GRANT_REFUSED);
    t.match(await refresh(server, client, refreshToken), GRANT_REFUSED);
  }
  const alive = await askWithProof(
    server,
    client,
    refreshing(last.body.refresh_token),
    makeProof({ key, path: TOKEN }),
  );
  t.equal(alive.status, 200, 'a thief without the key cannot end the session');
  t.match(await askWithProof(server, client, refreshing(refreshToken), makeProof({ key, path: TOKEN })), GRANT_REFUSED);
  t.match(
    await askWithProof(server, client, refreshing(alive.body.refresh_token), makeProof({ key, path: TOKEN })),
    GRANT_REFUSED,
    'the reuse of its holder does',
  );

  const plain = await refreshOf(client, person);
  const bound = await askWithProof(server, client, refreshing(plain.refresh_token), makeProof({ key, path: TOKEN }));
  t.match(bound, { status: 200, body: { token_type: 'DPoP' } }, 'a client begins to use a key');
  t.match(await refresh(server, client, bound.body.refresh_token), GRANT_REFUSED, 'from then on it is bound');

  const secret = await openBound({ token_endpoint_auth_method: 'client_secret_post' });
  const changed = await askWithProof(server, secret.client, refreshing(secret.refreshToken), theirs());
  t.match(changed, { status: 200, body: { token_type: 'DPoP' } });
  t.equal((await userinfo(changed.body.access_token, other)).status, 200);
  t.equal((await userinfo(changed.body.access_token, secret.key)).status, 401);
  const downgraded = await refresh(server, secret.client, changed.body.refresh_token);
  t.match(downgraded, { status: 200, body: { token_type: 'bearer' } });
});

t.test('a client that wants bound tokens gets no others', async (t) => {
  const client = await addClient(server, { dpop_bound_access_tokens: true });
  const [person, key] = [await signUpPerson(server), makeProofKey()];
  const fields = await codeFor(client, person);
  t.match(await askPlain(client, fields), PROOF_REFUSED);
  const { status, body } = await askWithProof(server, client, fields, makeProof({ key, path: TOKEN }));
  t.equal(status, 200);
  t.match(await refresh(server, client, body.refresh_token), PROOF_REFUSED);
  const { body: changed } = await asAdmin(server)('PUT', `/admin/oauth/clients/${client.id}`, {
    dpop_bound_access_tokens: false,
  });
  t.notOk(changed.dpop_bound_access_tokens);
  t.equal((await askPlain(client, await codeFor(client, person))).status, 200);
});

t.test('dpop_jkt: a stolen code is worth nothing, even with its verifier', async (t) => {
  const [client, person, key] = [await addClient(server), await signUpPerson(server), makeProofKey()];
  const fields = await codeFor(client, person, { dpop_jkt: key.jkt });
  const thief = makeProofKey();
  t.match(await askPlain(client, fields), GRANT_REFUSED, 'without a proof');
  const stolen = await askWithProof(server, client, fields, makeProof({ key: thief, path: TOKEN }));
  t.match(stolen, GRANT_REFUSED, 'with the key of the thief');
  t.equal((await askWithProof(server, client, fields, makeProof({ key, path: TOKEN }))).status, 200);
  for (const jkt of ['', 'x', `${key.jkt}x`, `${key.jkt.slice(0, -1)}+`]) {
    const { location } = await authorize(server, { clientId: client.id, parameters: { dpop_jkt: jkt } });
    t.equal(location.searchParams.get('error'), 'invalid_request', jkt);
  }
});

t.test('one of many concurrent uses of a proof counts, at two instances', async (t) => {
  const { key, token, client, refreshToken } = await openBound();
  const second = await openTestServer(t, settings, () => server.database.url);
  const proof = makeProof({ key, method: 'GET', path: INFO, token });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => callBound(n % 2 === 0 ? server : second, 'GET', INFO, token, proof)),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(401)]);
  const renewal = makeProof({ key, path: TOKEN });
  const renewed = await Promise.all(
    [server, second, server, second].map((one) => askWithProof(one, client, refreshing(refreshToken), renewal)),
  );
  t.same(renewed.map(({ status }) => status).sort(), [200, 400, 400, 400]);
});
