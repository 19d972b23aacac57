import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { KeyMembers } from '../../jws/algorithms.js';
import { readTokenKey, type TokenKey } from '../../jws/jwk.js';

/** Algorithms of new keys: those that clients verify, and EdDSA. */
export const generatedAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const;
export type GeneratedAlgorithm = (typeof generatedAlgorithms)[number];

export const isGeneratedAlgorithm = (name: unknown): name is GeneratedAlgorithm =>
  generatedAlgorithms.includes(name as GeneratedAlgorithm);

/**
 * Makes a private key that signs.
 * @param kid null: its thumbprint (RFC 7638)
 * @throws Error when the kid is not usable
 */
export function generateTokenKey(alg: GeneratedAlgorithm, kid: string | null): TokenKey {
  const { privateKey } =
    alg === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk: JsonWebKey = privateKey.export({ format: 'jwk' });
  const read = readTokenKey({ ...jwk, alg, key_ops: ['sign', 'verify'], ...(kid !== null && { kid }) });
  if ('faults' in read) throw new Error(`The key ${read.faults.join(' and ')}.`);
  return read.key;
}

/** A key as AUTH_JWT_KEYS lists it. */
export const describeTokenKey = ({ kid, alg, signs, jwk }: TokenKey): KeyMembers & { key_ops: string[] } =>
  ({ ...jwk, kid, alg, key_ops: signs ? ['sign', 'verify'] : ['verify'] }) as never;
