import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import { freshEmail, JWT_SECRET, openTestServer, password } from '../support/server.js';
import {
  keySetting,
  makeTestJwk,
  publicHalf,
  signWithJwk,
  type TestJwk,
  testAlgorithms,
} from '../support/signing-keys.js';
import { t } from '../support/tap.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

t.test('SEC-50: every key with every algorithm: only its own is accepted', async (t) => {
  const keys = testAlgorithms.map((alg, index) => makeTestJwk(alg, alg, index === 1 ? ['sign', 'verify'] : ['verify']));
  const { call, post } = await openTestServer(t, keySetting(...keys));
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const claims = claimsOf(person.access_token);
  const operator = { role: 'service_role', exp: claims.exp };
  const statuses = async (bearer: string, asOperator: string) => [
    (await call('GET', '/user', { bearer })).status,
    (await call('GET', '/admin/users', { bearer: asOperator })).status,
  ];
  for (const key of keys) {
    const own = key.alg as (typeof testAlgorithms)[number];
    for (const named of testAlgorithms) {
      for (const kid of testAlgorithms) {
        // Signed by `key` in the way of its own algorithm; the header claims another algorithm, another kid, or both.
        const sign = (body: object) => signWithJwk(key, { alg: named, kid, typ: 'JWT' }, body, own);
        const expected = named === own && kid === own ? [200, 200] : [403, 403];
        t.same(await statuses(sign(claims), sign(operator)), expected, `${own} key, alg ${named}, kid ${kid}`);
      }
    }
  }
});

t.test('SEC-50: public keys are no secrets, and a header brings no key', async (t) => {
  const [ec, rsa, ed] = [
    makeTestJwk('ES256', 'ec'),
    makeTestJwk('RS256', 'rsa', ['verify']),
    makeTestJwk('EdDSA', 'ed', ['verify']),
  ];
  const listed = keySetting(ec, rsa, ed);
  const { call, post } = await openTestServer(t, { ...listed, JWT_VALID_METHODS: 'ES256,RS256,EdDSA,HS256' });
  const { body: person } = await post('/signup', { email: freshEmail(), password });
  const claims = claimsOf(person.access_token);
  const jwks = (await call('GET', '/.well-known/jwks.json')).body;

  const forged: Record<string, string> = {};
  const hmac = (header: object, secret: string | Buffer) => {
    const signed = `${encode({ typ: 'JWT', ...header })}.${encode(claims)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  for (const key of [ec, rsa, ed]) {
    const open = createPublicKey({ key: publicHalf(key) as JsonWebKey, format: 'jwk' });
    const entry = jwks.keys.find(({ kid }: { kid: string }) => kid === key.kid);
    const texts: Record<string, string | Buffer> = {
      PEM: open.export({ type: 'spki', format: 'pem' }),
      'PEM without its last line break': String(open.export({ type: 'spki', format: 'pem' })).trimEnd(),
      DER: open.export({ type: 'spki', format: 'der' }),
      JWK: JSON.stringify(entry),
      x: Buffer.from(entry.x ?? entry.n, 'base64url'),
      'an empty key': '',
    };
    for (const [name, secret] of Object.entries(texts)) {
      for (const kid of [key.kid, undefined, 'other']) {
        forged[`HS256 with ${key.kid} as ${name}, kid ${kid}`] = hmac({ alg: 'HS256', kid }, secret);
      }
    }
    const own = { alg: key.alg, kid: key.kid, typ: 'JWT' };
    const good = signWithJwk(key, own, claims);
    const [head, payload, signature] = good.split('.') as [string, string, string];
    forged[`${key.kid}: none`] = `${encode({ alg: 'none', kid: key.kid })}.${payload}.`;
    forged[`${key.kid}: none with a signature`] = `${encode({ alg: 'none', kid: key.kid })}.${payload}.${signature}`;
    forged[`${key.kid}: no signature`] = `${head}.${payload}.`;
    forged[`${key.kid}: crit`] = signWithJwk(key, { ...own, crit: ['exp'] }, claims);
    forged[`${key.kid}: crit empty`] = signWithJwk(key, { ...own, crit: [] }, claims);
    forged[`${key.kid}: without kid`] = signWithJwk(key, { alg: key.alg }, claims);
    forged[`${key.kid}: kid in a list`] = signWithJwk(key, { ...own, kid: [key.kid] }, claims);
    forged[`${key.kid}: kid __proto__`] = signWithJwk(key, { ...own, kid: '__proto__' }, claims);
    forged[`${key.kid}: trailing bytes`] = `${good}AAAA`;
    forged[`${key.kid}: zeros for a signature`] =
      `${head}.${payload}.${Buffer.alloc(Buffer.from(signature, 'base64url').length).toString('base64url')}`;
    t.equal((await call('GET', '/user', { bearer: good })).status, 200, `${key.kid} itself is accepted`);

    const attacker = makeTestJwk(key.alg as 'ES256', key.kid!);
    const open2 = publicHalf(attacker);
    for (const [name, header] of Object.entries({
      jwk: { jwk: open2 },
      jku: { jku: 'http://127.0.0.1:1/jwks.json' },
      x5u: { x5u: 'http://127.0.0.1:1/cert.pem' },
      x5c: { x5c: ['AAAA'] },
      nothing: {},
    })) {
      forged[`${key.kid}: another key, ${name} in the header`] = signWithJwk(attacker, { ...own, ...header }, claims);
      forged[`${key.kid}: another key, ${name}, unknown kid`] = signWithJwk(
        attacker,
        { ...own, ...header, kid: 'evil' },
        claims,
      );
    }
  }
  // ECDSA in DER, and the trivial signature of CVE-2022-21449.
  forged['r and s of zero'] =
    `${encode({ alg: 'ES256', kid: 'ec' })}.${encode(claims)}.${Buffer.alloc(64).toString('base64url')}`;
  forged['the secret under a kid of another type'] = hmac({ alg: 'HS256', kid: 'rsa' }, JWT_SECRET);
  for (const [name, bearer] of Object.entries(forged)) {
    t.match(await call('GET', '/user', { bearer }), { status: 403, body: { error_code: 'bad_jwt' } }, name);
  }
  t.equal(
    (await call('GET', '/user', { bearer: hmac({ alg: 'HS256' }, JWT_SECRET) })).status,
    200,
    'HS256 is a valid method',
  );
  const more: TestJwk = makeTestJwk('ES256', 'x');
  const decorated = signWithJwk(
    ec,
    { alg: 'ES256', kid: 'ec', jwk: publicHalf(more), jku: 'http://127.0.0.1:1/' },
    claims,
  );
  t.equal(
    (await call('GET', '/user', { bearer: decorated })).status,
    200,
    'such members beside the right key mean nothing',
  );
});
