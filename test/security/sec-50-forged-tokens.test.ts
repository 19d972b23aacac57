import { createHmac, createPublicKey, randomUUID, sign as signWith } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeFlowSecrets } from '../../src/server/external/flow-state.js';
import { deriveKeys } from '../../src/server/sessions/keys.js';
import { takeRsaKey } from '../support/rsa-keys.js';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import { t } from '../support/tap.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HS256 = { alg: 'HS256', typ: 'JWT' };

function mac(hash: string, header: object, claims: unknown, key: string | Buffer = JWT_SECRET): string {
  const head = `${encode(header)}.${encode(claims)}`;
  return `${head}.${createHmac(hash, key).update(head).digest('base64url')}`;
}

const secrets = { jwtSecret: JWT_SECRET, jwtPreviousSecrets: [], jwtPreviousSecretsValidUntil: null };
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;

t.test('SEC-50: what is no access token of ours, at the endpoints of users and of operators', async (t) => {
  const { call, post } = await openTestServer(t);
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const good: string = person.access_token;
  const [head, payload, signature] = good.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const operator = { role: 'service_role', exp: inAnHour() };

  // A server an attacker would like us to fetch keys from.
  const privateKey = takeRsaKey();
  const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'mine', alg: 'RS256', use: 'sig' };
  let fetched = 0;
  const keys = createServer((_, response) => {
    fetched++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await once(keys, 'listening');
  t.teardown(() => keys.close());
  const jku = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks.json`;
  const rs256 = (header: object, body: unknown) => {
    const signed = `${encode({ alg: 'RS256', typ: 'JWT', ...header })}.${encode(body)}`;
    return `${signed}.${signWith('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const symmetric = { kty: 'oct', k: Buffer.from('attacker').toString('base64url') };

  const forge = (body: object): Record<string, string> => ({
    'alg none, no signature': `${encode({ alg: 'none', typ: 'JWT' })}.${encode(body)}.`,
    'alg none, signature of another token': `${encode({ alg: 'none' })}.${encode(body)}.${signature}`,
    'alg None': `${encode({ alg: 'None' })}.${encode(body)}.`,
    'alg hs256 in lower case': mac('sha256', { alg: 'hs256' }, body),
    'no alg': mac('sha256', { typ: 'JWT' }, body),
    'alg a list': mac('sha256', { alg: ['HS256'] }, body),
    HS384: mac('sha384', { alg: 'HS384', typ: 'JWT' }, body),
    HS512: mac('sha512', { alg: 'HS512', typ: 'JWT' }, body),
    'HS384 with the header of HS256': mac('sha384', HS256, body),
    'RS256 with the secret as key': mac('sha256', { alg: 'RS256', typ: 'JWT' }, body),
    'RS256 of another key': rs256({}, body),
    'another secret': mac('sha256', HS256, body, 'x'.repeat(40)),
    'an empty secret': mac('sha256', HS256, body, ''),
    'the secret, decoded': mac('sha256', HS256, body, Buffer.from(JWT_SECRET, 'base64')),
    'signature stripped': `${encode(HS256)}.${encode(body)}`,
    'signature emptied': `${encode(HS256)}.${encode(body)}.`,
    'signature of another token': `${encode(HS256)}.${encode(body)}.${signature}`,
    'jku with a key of the attacker': rs256({ kid: 'mine', jku }, body),
    'x5u with a key of the attacker': rs256({ kid: 'mine', x5u: jku }, body),
    'jwk of the attacker': rs256({ jwk }, body),
    'symmetric jwk of the attacker': mac('sha256', { ...HS256, jwk: symmetric }, body, 'attacker'),
    'kid as a path to a known file': mac('sha256', { ...HS256, kid: '../../../../dev/null' }, body, ''),
    'kid as SQL': mac('sha256', { ...HS256, kid: "x' union select 'attacker'--" }, body, 'attacker'),
    'crit, rightly signed': mac('sha256', { ...HS256, crit: ['b64'], b64: true }, body),
    'crit empty, rightly signed': mac('sha256', { ...HS256, crit: [] }, body),
    'another kind of token, rightly signed': mac('sha256', { ...HS256, typ: 'state+jwt' }, body),
    'claims of the wrong types': mac('sha256', HS256, { ...body, exp: String(inAnHour()) }),
    'sub a number': mac('sha256', HS256, { ...body, sub: 7 }),
    'not valid yet': mac('sha256', HS256, { ...body, nbf: inAnHour() }),
    'from the future': mac('sha256', HS256, { ...body, iat: inAnHour() }),
    expired: mac('sha256', HS256, { ...body, exp: Math.floor(Date.now() / 1000) - 1 }),
  });
  const ofOthers: Record<string, string> = {
    'trailing bytes': `${good}AAAA`,
    'a trailing character': `${good}A`,
    'trailing padding': `${good}=`,
    'a fourth part': `${good}.${signature}`,
    'a leading dot': `.${good}`,
    'one character of the signature changed': `${good.slice(0, -5)}${good.at(-5) === 'A' ? 'B' : 'A'}${good.slice(-4)}`,
    'claims exchanged': `${head}.${encode({ ...claims, sub: randomUUID() })}.${signature}`,
    'the JSON serialization': Buffer.from(JSON.stringify({ protected: head, payload, signature })).toString(
      'base64url',
    ),
    'a refresh token': person.refresh_token,
    'the state of a sign-in': makeFlowSecrets(deriveKeys(secrets).flow.current).state,
    'the secret itself': JWT_SECRET,
    'an id': person.user.id,
  };
  for (const [name, bearer] of Object.entries({ ...forge({ ...claims, more: 1 }), ...ofOthers })) {
    const answer = await call('GET', '/user', { bearer });
    t.match(answer, { status: 403, body: { error_code: 'bad_jwt' } }, `GET /user: ${name}`);
    t.equal((await call('POST', '/logout', { bearer })).status, 403, `POST /logout: ${name}`);
  }
  for (const [name, bearer] of Object.entries({ ...forge(operator), ...ofOthers })) {
    t.equal((await call('GET', '/admin/users', { bearer })).status, 403, `GET /admin/users: ${name}`);
  }
  t.equal(fetched, 0, 'no key was fetched');
  t.equal((await call('GET', '/user', { bearer: good })).status, 200, 'the good one still serves');
  const named = mac('sha256', { ...HS256, kid: 'whatever', jku, x5u: jku, jwk: symmetric }, claims);
  t.equal((await call('GET', '/user', { bearer: named })).status, 200, 'such fields beside the right key mean nothing');
  t.equal(fetched, 0);
});

t.test('SEC-50: audience, subject and session of a well-signed token', async (t) => {
  const { call, post } = await openTestServer(t);
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const claims = JSON.parse(Buffer.from(person.access_token.split('.')[1], 'base64url').toString());
  const ask = (change: object, headers = {}) =>
    call('GET', '/user', { bearer: mac('sha256', HS256, { ...claims, ...change }), headers });
  t.equal((await ask({})).status, 200);
  t.equal((await ask({ aud: ['other', 'authenticated'] })).status, 200, 'one of several');
  for (const aud of ['other', '', 'Authenticated', 'authenticated ', ['other'], [], undefined]) {
    t.equal((await ask({ aud })).status, 400, `aud ${JSON.stringify(aud)}`);
  }
  t.equal((await ask({}, { 'x-jwt-aud': 'other' })).status, 400, 'the request is for another audience');
  t.equal((await ask({ sub: undefined })).status, 403);
  t.equal((await ask({ sub: '' })).status, 403);
  t.equal((await ask({ sub: 'ann' })).status, 400);
  t.equal((await ask({ sub: randomUUID() })).status, 403);
  t.equal((await ask({ session_id: 'x' })).status, 403);
});
