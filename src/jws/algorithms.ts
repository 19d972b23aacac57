/** The algorithms of access tokens (RFC 7518 3.1, RFC 8037 3.1), for signing, verifying and checking keys. */
import { type KeyObject, sign, verify } from 'node:crypto';

/** One fixed set of key type, curve and hash per algorithm. */
interface AlgorithmParameters {
  readonly kty: 'oct' | 'RSA' | 'EC' | 'OKP';
  readonly crv?: string;
  /** Null where the algorithm has one of its own. */
  readonly hash: 'sha256' | 'sha512' | null;
}

/** In the order of recommendation where several fit a key: the first is the default. */
export const jwsAlgorithms = {
  HS256: { kty: 'oct', hash: 'sha256' },
  ES256: { kty: 'EC', crv: 'P-256', hash: 'sha256' },
  RS256: { kty: 'RSA', hash: 'sha256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', hash: null },
  ES512: { kty: 'EC', crv: 'P-521', hash: 'sha512' },
  RS512: { kty: 'RSA', hash: 'sha512' },
} as const satisfies Record<string, AlgorithmParameters>;

export type JwsAlgorithm = keyof typeof jwsAlgorithms;
export type AsymmetricAlgorithm = Exclude<JwsAlgorithm, 'HS256'>;

export const isJwsAlgorithm = (name: unknown): name is JwsAlgorithm =>
  typeof name === 'string' && Object.hasOwn(jwsAlgorithms, name);

/** The members of a JSON Web Key as far as keys here have them (RFC 7518 6, RFC 8037 2). */
export interface KeyMembers {
  readonly kty: string;
  readonly [member: string]: string;
}

/** What signs access tokens. Plain data, which is passed to the signing threads. */
export interface SigningKey {
  readonly alg: JwsAlgorithm;
  /** Empty: the header has no kid. */
  readonly kid: string;
  /** With its private members. */
  readonly jwk: KeyMembers;
}

/** The form of an ECDSA signature in a JWS: R and S side by side (RFC 7518 3.4). */
const dsaEncoding = 'ieee-p1363';

/** @param key a private key of the type of the algorithm */
export const signBytes = (alg: AsymmetricAlgorithm, key: KeyObject, data: Uint8Array): Buffer =>
  sign(jwsAlgorithms[alg].hash, data, { key, dsaEncoding });

/** @param key a public key of the type of the algorithm */
export const verifyBytes = (
  alg: AsymmetricAlgorithm,
  key: KeyObject,
  data: Uint8Array,
  signature: Uint8Array,
): boolean => verify(jwsAlgorithms[alg].hash, data, { key, dsaEncoding }, signature);

/** @returns the longest signature of the key, in characters of base64url */
export function signatureCharacters(alg: JwsAlgorithm, jwk: Readonly<Record<string, string>>): number {
  const bytes = {
    HS256: 32,
    ES256: 64,
    EdDSA: 64,
    ES512: 132,
    RS256: Buffer.from(jwk['n'] ?? '', 'base64url').length,
    RS512: Buffer.from(jwk['n'] ?? '', 'base64url').length,
  }[alg];
  return Math.ceil((bytes * 4) / 3);
}
