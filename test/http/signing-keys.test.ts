import { createLocalJWKSet, jwtVerify } from 'jose';
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
import { signTestToken } from '../support/tokens.js';

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());

for (const alg of testAlgorithms) {
  t.test(`${alg}: tokens are signed, published and verified`, async (t) => {
    const { call, post } = await openTestServer(t, keySetting(makeTestJwk(alg, `key of ${alg}`)));
    const { body: session } = await post('/signup', { email: freshEmail(), password });
    t.same(headerOf(session.access_token), { alg, typ: 'JWT', kid: `key of ${alg}` });
    t.equal((await call('GET', '/user', { bearer: session.access_token })).status, 200);
    const renewed = await post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token });
    t.equal(renewed.status, 200);
    const { body: jwks } = await call('GET', '/.well-known/jwks.json');
    if (alg === 'HS256') return t.same(jwks, { keys: [] }, 'a secret is not published');
    t.same(
      Object.keys(jwks.keys[0]).filter((name) => 'd p q dp dq qi k'.split(' ').includes(name)),
      [],
    );
    t.match(jwks.keys, [{ kid: `key of ${alg}`, alg, use: 'sig', key_ops: ['verify'] }]);
    const { payload } = await jwtVerify(renewed.body.access_token, createLocalJWKSet(jwks));
    t.equal(payload.sub, session.user.id, 'another implementation verifies it');
  });
}

t.test('the key set: signing key first, known members only, validators', async (t) => {
  const [old, current, shared] = [makeTestJwk('RS256', 'old'), makeTestJwk('ES256', 'now'), makeTestJwk('HS256', 'hs')];
  const listed = [publicHalf(old), { ...shared, key_ops: ['verify'] }, { ...current, ext: false, x5c: ['x'], own: 1 }];
  const { call } = await openTestServer(t, keySetting(...(listed as TestJwk[])));
  const answer = await call('GET', '/.well-known/jwks.json');
  t.equal(answer.headers.get('cache-control'), 'public, max-age=600, stale-while-revalidate=60');
  t.equal(answer.headers.get('vary'), null, 'caches keep one copy for all origins');
  t.equal(answer.headers.get('access-control-allow-origin'), '*', 'also for the request that a cache stored');
  t.same(answer.body, {
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: current.x,
        y: current.y,
        kid: 'now',
        alg: 'ES256',
        use: 'sig',
        key_ops: ['verify'],
      },
      { kty: 'RSA', n: old.n, e: old.e, kid: 'old', alg: 'RS256', use: 'sig', key_ops: ['verify'] },
    ],
  });
  const etag = answer.headers.get('etag')!;
  t.match(etag, /^"[\w-]{22}"$/);
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await call('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': tag } });
    t.match(again, { status: 304, body: undefined }, tag);
    t.equal(again.headers.get('etag'), etag);
    t.match(again.headers.get('cache-control'), /max-age=600/);
  }
  for (const tag of ['"x"', etag.slice(1, -1), '']) {
    const changed = await call('GET', '/.well-known/jwks.json', { headers: { 'if-none-match': tag } });
    t.equal(changed.status, 200, tag);
  }
});

t.test('rotation by settings signs nobody out', async (t) => {
  const first = makeTestJwk('ES256', 'first');
  const second = makeTestJwk('RS256', 'second');
  const secret = { kty: 'oct', k: Buffer.from(JWT_SECRET).toString('base64url'), kid: 'secret', alg: 'HS256' };
  const verifyOnly = (key: TestJwk): TestJwk => ({ ...key, key_ops: ['verify'] });
  const steps: TestJwk[][] = [
    [],
    [{ ...secret, key_ops: ['sign', 'verify'] }, verifyOnly(first)],
    [verifyOnly(secret), first],
    [verifyOnly(secret), first, verifyOnly(second)],
    [verifyOnly(first), second],
  ];
  const { database, ...start } = await openTestServer(t);
  const { body: session } = await start.post('/signup', { email: freshEmail(), password });
  let refreshToken = session.refresh_token;
  let tokens: string[] = [session.access_token];
  for (const [index, keys] of steps.entries()) {
    const { call, post } = await openTestServer(t, { DB_DATABASE_URL: database.url, ...keySetting(...keys) });
    for (const bearer of tokens) t.equal((await call('GET', '/user', { bearer })).status, 200, `step ${index}`);
    const { body } = await post('/token?grant_type=refresh_token', { refresh_token: refreshToken });
    refreshToken = body.refresh_token;
    tokens = [tokens.at(-1)!, body.access_token];
    if (index === steps.length - 1) {
      const bearer = session.access_token;
      t.match(
        await call('GET', '/user', { bearer }),
        { status: 403, body: { error_code: 'bad_jwt' } },
        'a dropped key',
      );
    }
  }
});

t.test('when tokens under AUTH_JWT_SECRET are accepted beside other keys', async (t) => {
  const key = makeTestJwk('ES256', 'a');
  const verifying = makeTestJwk('HS256', 'b', ['verify']);
  const secret = { kty: 'oct', k: Buffer.from(JWT_SECRET).toString('base64url'), kid: 's', key_ops: ['verify'] };
  const bearer = signTestToken({ role: 'service_role' }, JWT_SECRET);
  for (const [name, settings, status] of [
    ['no oct key', keySetting(key), 403],
    ['an oct key of another value', keySetting(key, verifying), 200],
    ['an oct key of this value', keySetting(key, secret), 200],
    ['the text of the secret as k', keySetting(key, { ...secret, k: JWT_SECRET }), 200],
    ['HS256 among the valid methods', { ...keySetting(key), JWT_VALID_METHODS: 'ES256,HS256' }, 200],
    ['HS256 not among the valid methods', { ...keySetting(key, secret), JWT_VALID_METHODS: 'ES256' }, 403],
  ] as const) {
    const { call } = await openTestServer(t, settings);
    t.equal((await call('GET', '/admin/users', { bearer })).status, status, name);
    const claims = claimsOf(bearer);
    const own = signWithJwk(key, { alg: 'ES256', kid: 'a' }, claims);
    t.equal((await call('GET', '/admin/users', { bearer: own })).status, 200, `${name}: the key itself`);
    for (const kid of [undefined, 'unknown']) {
      const other = signWithJwk(verifying, { alg: 'HS256', kid }, claims);
      t.equal((await call('GET', '/admin/users', { bearer: other })).status, 403, `${name}: another key, kid ${kid}`);
    }
  }
});
