import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomBytes,
  sign,
} from 'node:crypto';
import { type KeySet, makeKeySet } from '../../src/server/keys/key-set.js';
import { countVerifications } from '../../src/server/keys/verify-counts.js';
import { takeRsaKey } from './rsa-keys.js';

/** A key as AUTH_JWT_KEYS lists it. */
export type TestJwk = JsonWebKey & { kid?: string; alg?: string; key_ops?: string[] };

export const testAlgorithms = ['HS256', 'ES256', 'RS256', 'EdDSA', 'ES512', 'RS512'] as const;
export type TestAlgorithm = (typeof testAlgorithms)[number];

/** The keys of a server with AUTH_JWT_SECRET alone. */
export const secretKeySet = (jwtSecret: string): KeySet =>
  makeKeySet({
    keys: [],
    validMethods: null,
    source: 'environment',
    jwtSecret,
    jwtKeyId: '',
    secrets: [createSecretKey(Buffer.from(jwtSecret))],
    countsOf: countVerifications().of,
  });

/** A new private key. @param keyOps default: it signs and verifies */
export function makeTestJwk(alg: TestAlgorithm, kid: string, keyOps = ['sign', 'verify']): TestJwk {
  return { ...newKey(alg), kid, alg, key_ops: keyOps };
}

function newKey(alg: TestAlgorithm): JsonWebKey {
  if (alg === 'HS256') return { kty: 'oct', k: randomBytes(32).toString('base64url') };
  const { privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg.startsWith('RS')
        ? { privateKey: takeRsaKey() }
        : generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-521' });
  return privateKey.export({ format: 'jwk' });
}

/** The same key without its private members. */
export function publicHalf({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, k: _k, ...open }: TestJwk): TestJwk {
  return { ...open, key_ops: ['verify'] };
}

export const keySetting = (...keys: TestJwk[]): Record<string, string> => ({ JWT_KEYS: JSON.stringify(keys) });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs claims with a key, whatever the header says. */
export function signWithJwk(jwk: TestJwk, header: object, claims: object, alg = jwk.alg as TestAlgorithm): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${signBytesWith(jwk, alg, Buffer.from(signed)).toString('base64url')}`;
}

function signBytesWith(jwk: TestJwk, alg: TestAlgorithm, data: Buffer): Buffer {
  if (alg === 'HS256') return createHmac('sha256', Buffer.from(jwk.k!, 'base64url')).update(data).digest();
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const hash = { ES256: 'sha256', RS256: 'sha256', EdDSA: null, ES512: 'sha512', RS512: 'sha512' }[alg];
  return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
}
