import { jwtVerify } from 'jose';
import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

const secret = 'a test secret of more than thirty-two bytes';
const key = new TextEncoder().encode(secret);

t.test('a token is valid for another implementation', async (t) => {
  const pool = await openTestPool(t, { jwtKeyId: 'key-1' });
  const claims = {
    sub: 'b9c1b0a0-6b1a-4b0a-8f0a-1b2c3d4e5f60',
    aud: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + 60,
    user_metadata: { name: 'Zoë 🦊', nested: [1, null, { a: true }] },
  };
  const { payload, protectedHeader } = await jwtVerify(await pool.signJwt(JSON.stringify(claims)), key, {
    algorithms: ['HS256'],
  });
  t.same(payload, claims);
  t.same(protectedHeader, { alg: 'HS256', typ: 'JWT', kid: 'key-1' });
});

t.test('claims of any length, of one to four bytes a character', async (t) => {
  const pool = await openTestPool(t);
  for (const letter of ['a', 'é', '語', '🦊']) {
    for (const count of [1, 5400, 5461, 8190, 16_384, 40_000]) {
      const claims = { sub: letter.repeat(count) };
      const { payload } = await jwtVerify(await pool.signJwt(JSON.stringify(claims)), key);
      t.strictSame(payload, claims, `${count} × ${letter}`);
    }
  }
});

t.test('without a key id there is no kid', async (t) => {
  const pool = await openTestPool(t);
  const { protectedHeader } = await jwtVerify(await pool.signJwt(JSON.stringify({ sub: 'x' })), key);
  t.same(protectedHeader, { alg: 'HS256', typ: 'JWT' });
});

t.test('a token of another type says so', async (t) => {
  const pool = await openTestPool(t, { jwtKeyId: 'key-1' });
  for (const type of ['at+jwt', 'logout+jwt'] as const) {
    const { payload, protectedHeader } = await jwtVerify(await pool.signJwt('{"sub":"a b"}', type), key);
    t.same(payload, { sub: 'a b' });
    t.same(protectedHeader, { alg: 'HS256', typ: type, kid: 'key-1' });
  }
});

t.test('another secret yields another signature', async (t) => {
  const pool = await openTestPool(t, { jwtSecret: `${secret}!` });
  await t.rejects(jwtVerify(await pool.signJwt(JSON.stringify({ sub: 'x' })), key), {
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  });
});

t.test('10,000 concurrent signatures are returned to their own callers', async (t) => {
  const pool = await openTestPool(t);
  const finished: number[] = [];
  const asked = Array.from({ length: 10_000 }, async (_, n) => {
    const token = await pool.signJwt(JSON.stringify({ n }));
    finished.push(n);
    return token;
  });
  t.ok(pool.stats().signaturesQueued > 0, 'they wait to be handed over together');
  const tokens = await Promise.all(asked);
  const isMixedUp = tokens.some(
    (token, n) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).n !== n,
  );
  t.notOk(isMixedUp);
  t.same(
    finished,
    [...finished].sort((a, b) => a - b),
    'in the order of the calls',
  );
  await jwtVerify(tokens.at(-1)!, key);
  t.equal(pool.stats().signaturesQueued, 0);
});
