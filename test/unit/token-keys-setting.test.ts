import { type ConfigError, loadConfig } from '../../src/server/config/load.js';
import { acceptsSecret } from '../../src/server/keys/key-set.js';
import { JWT_SECRET, testEnvironment } from '../support/server.js';
import { keySetting, makeTestJwk, publicHalf, type TestJwk, testAlgorithms } from '../support/signing-keys.js';
import { type Test, t } from '../support/tap.js';

const load = (settings: Record<string, string>) =>
  loadConfig({ environment: testEnvironment('postgres://a@b/c', settings), file: null });

/** The fault of AUTH_JWT_KEYS. */
function faultOf(t: Test, entries: unknown, more = {}): string {
  try {
    load({ JWT_KEYS: typeof entries === 'string' ? entries : JSON.stringify(entries), ...more });
  } catch (error) {
    const { faults } = error as ConfigError;
    const secrets = JSON.stringify(entries).match(/"(?:d|p|q|dp|dq|qi|k|n|x|y)\\*":\\*"([\w-]{8,})/g) ?? [];
    for (const text of secrets.map((found) => found.slice(-8))) t.notMatch((error as Error).message, text);
    return faults.map(({ variable, problem }) => `${variable} ${problem}`).join('\n');
  }
  t.fail('it was accepted');
  return '';
}

const notesOf = (settings: Record<string, string>): string[] =>
  load(settings)
    .notices.filter(({ variable }) => variable.includes('JWT'))
    .map(({ message }) => message);

t.test('a key of each algorithm, alone and beside others', async (t) => {
  for (const alg of testAlgorithms) {
    const { jwtKeys } = load(keySetting(makeTestJwk(alg, 'a'))).config;
    t.match(jwtKeys, [{ kid: 'a', alg, signs: true, derived: [] }], alg);
  }
  const all = testAlgorithms.map((alg, index) => makeTestJwk(alg, alg, index === 0 ? ['sign'] : ['verify']));
  t.equal(load(keySetting(...all)).config.jwtKeys.length, testAlgorithms.length);
  t.same(load({ JWT_KEYS: '[]' }).config.jwtKeys, []);
  const open = publicHalf(makeTestJwk('ES256', 'open'));
  t.match(load(keySetting(makeTestJwk('ES256', 'a'), open)).config.jwtKeys[1], { kid: 'open', signs: false });
});

t.test('what is missing is derived, and said', async (t) => {
  const { kid: _kid, alg: _alg, ...bare } = makeTestJwk('ES256', 'x');
  const { config } = load(keySetting(bare as TestJwk));
  t.match(config.jwtKeys, [{ alg: 'ES256', kid: /^[\w-]{43}$/, derived: ['kid', 'alg'] }]);
  const notes = notesOf(keySetting(bare as TestJwk)).join('\n');
  t.match(notes, /entry 1 \(kid "[\w-]{43}"\) had no kid and got its thumbprint/);
  t.match(notes, /had no alg and counts as ES256/);
  // RFC 7638 3.1
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  const rfc = { kty: 'RSA', n, e: 'AQAB', alg: 'RS256' } as TestJwk;
  const { jwtKeys } = load(keySetting(makeTestJwk('ES256', 'a'), rfc)).config;
  t.equal(jwtKeys[1]?.kid, 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});

t.test('a fault of one entry', async (t) => {
  const ec = makeTestJwk('ES256', 'a');
  const rsa = makeTestJwk('RS256', 'a');
  const cases: [string, TestJwk | unknown, RegExp][] = [
    ['no object', 7, /entry 1 is no JSON object/],
    ['no kty', { ...ec, kty: undefined }, /entry 1 \(kid "a"\) must have a kty/],
    ['another kty', { ...ec, kty: 'XY' }, /must have a kty/],
    ['a missing member', { ...ec, y: undefined }, /lacks y/],
    ['half a private RSA key', { ...rsa, p: undefined, dq: undefined }, /lacks p, dq/],
    ['no base64url', { ...ec, x: 'a b' }, /member x that is no base64url/],
    ['an unknown alg', { ...ec, alg: 'PS256' }, /must have one of these as alg: HS256, ES256/],
    ['alg of another kty', { ...ec, alg: 'RS256' }, /does not fit the key: it must be ES256/],
    ['alg of another curve', { ...ec, alg: 'ES512' }, /does not fit the key: it must be ES256/],
    ['alg none', { ...ec, alg: 'none' }, /must have one of these as alg/],
    ['another curve', { ...ec, crv: 'P-384' }, /must have P-256 or P-521 as crv/],
    ['X25519', { ...makeTestJwk('EdDSA', 'a'), crv: 'X25519', alg: undefined }, /must have Ed25519 as crv/],
    ['key_ops of a sort', { ...ec, key_ops: ['sign', 'seal'] }, /has unknown key_ops: use sign and verify/],
    ['key_ops as text', { ...ec, key_ops: 'sign' }, /must have a list as key_ops/],
    ['a public key that signs', { ...publicHalf(ec), key_ops: ['sign'] }, /is to sign, but has no private part/],
    ['a point beside the curve', { ...ec, x: makeTestJwk('ES256', 'b').x }, /is no EC key/],
    ['the private part of another key', { ...ec, d: makeTestJwk('ES256', 'b').d }, /does not belong to its public/],
    ['a kid that is no text', { ...ec, kid: 7 }, /entry 1 must have a kid of 1 to 128/],
    ['a kid with a line break', { ...ec, kid: 'a\nb' }, /entry 1 must have a kid of 1 to 128/],
    ['a key of a key service', { ...publicHalf(rsa), key_ops: ['sign'], 'aws:kms:arn': 'arn:x' }, /AWS KMS/],
  ];
  for (const [name, entry, fault] of cases) t.match(faultOf(t, [entry]), fault, name);
  const { generateKeyPairSync } = await import('node:crypto');
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  t.match(faultOf(t, [{ ...short, key_ops: ['sign'] }]), /RSA key of 1024 bits: it must have 2048 or more/);
});

t.test('all faults at once, by position', async (t) => {
  const ec = makeTestJwk('ES256', 'same');
  const fault = faultOf(
    t,
    [ec, { ...makeTestJwk('RS256', 'same'), alg: 'ES256' }, { kty: 'oct', kid: 'third' }, null],
    {
      SITE_URL: 'nowhere',
    },
  );
  t.match(fault, /^AUTH_JWT_KEYS has 5 faults: /m);
  t.match(fault, /entry 2 \(kid "same"\) has an alg that does not fit/);
  t.match(fault, /entry 3 \(kid "third"\) lacks k/);
  t.match(fault, /entry 4 is no JSON object/);
  t.match(fault, /entries 1 and 2 have the same kid/);
  t.match(fault, /entries 1 and 2 sign: only one/);
  t.match(fault, /^AUTH_SITE_URL /m, 'and those of other settings');
  t.match(faultOf(t, [publicHalf(ec)]), /no entry signs/);
  t.match(faultOf(t, JSON.stringify(ec)), /must be a JSON array of keys$/);
  t.match(faultOf(t, JSON.stringify([ec]).slice(0, -3)), /must be a JSON array of keys, and is no JSON$/);
});

t.test('what an operator is told at start', async (t) => {
  const secret = { kty: 'oct', k: Buffer.from(JWT_SECRET).toString('base64url'), kid: 's', key_ops: ['verify'] };
  const ec = makeTestJwk('ES256', 'a');
  const refused = /AUTH_JWT_KEYS does not have AUTH_JWT_SECRET: tokens under it are refused/;
  t.match(notesOf(keySetting(ec)).join(), refused);
  const differs = /AUTH_JWT_KEYS entry 2 \(kid "[bs]"\) has another value than AUTH_JWT_SECRET, whose tokens/;
  const another = notesOf(keySetting(ec, makeTestJwk('HS256', 'b', ['verify']))).join();
  t.match(another, differs, 'another secret');
  t.notMatch(another, refused, 'tokens under the secret are accepted beside it');
  const ofText = JWT_SECRET.replaceAll(/[^\w-]/g, 'x');
  for (const [name, settings] of Object.entries({
    'its bytes': keySetting(ec, secret),
    'its text': { ...keySetting(ec, { ...secret, k: ofText }), JWT_SECRET: ofText },
    'its text, base64 with padding': {
      ...keySetting(ec, { ...secret, k: `${ofText}+/==` }),
      JWT_SECRET: `${ofText}+/==`,
    },
  })) {
    t.notMatch(notesOf(settings).join(), refused, name);
    t.notMatch(notesOf(settings).join(), differs, name);
  }
  const excluded = { ...keySetting(ec, secret), JWT_VALID_METHODS: 'ES256' };
  t.match(notesOf(excluded).join(), refused, 'HS256 is not accepted');
  t.notMatch(notesOf({ ...keySetting(ec), JWT_VALID_METHODS: 'ES256,HS256' }).join(), refused);
  t.match(notesOf(keySetting(makeTestJwk('EdDSA', 'e'))).join(), /signs with EdDSA, which @supabase\/auth-js cannot/);
  t.match(notesOf(keySetting(makeTestJwk('ES512', 'e'))).join(), /signs with ES512/);
  t.notMatch(notesOf(keySetting(makeTestJwk('RS256', 'e'))).join(), /cannot verify/);
  const short = { kty: 'oct', k: 'c2hvcnQ', kid: 'short', key_ops: ['verify'] };
  t.match(notesOf(keySetting(ec, short)).join(), /entry 2 \(kid "short"\) is shorter than 32 bytes/);
  t.match(notesOf({ JWT_VALID_METHODS: 'HS256,PS256' }).join(), /names algorithms that no key has/);
  t.throws(() => load({ ...keySetting(ec), JWT_VALID_METHODS: 'RS256' }), {
    message: /AUTH_JWT_VALID_METHODS must name ES256, the algorithm of the key that signs/,
  });
  t.throws(() => load({ JWT_VALID_METHODS: 'RS256' }), { message: /must name HS256/ });
});

t.test('in the database the secret is a key of its own, which another key does not bring back', async (t) => {
  const keys = load(keySetting(makeTestJwk('ES256', 'a'), makeTestJwk('HS256', 'b', ['verify']))).config.jwtKeys;
  const accepts = (source: 'environment' | 'database') =>
    acceptsSecret({ keys, validMethods: null, source, jwtSecret: JWT_SECRET });
  t.equal(accepts('environment'), true);
  t.equal(accepts('database'), false);
});
