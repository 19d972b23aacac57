/** Public keys of others (RFC 7517), as far as what they sign is verified here. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { PROOF_ALGORITHMS } from './proof-algorithms.js';

/** The members of a key that count, all texts. */
export type PublicJwk = Readonly<Record<string, string>>;

export type ReadPublicJwk = { readonly key: PublicJwk } | { readonly fault: string };

/** RFC 7518 6, RFC 8037 2. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};
/** Members of private and symmetric keys (RFC 7518 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const CURVES: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };
const MAX_KID = 256;
const MIN_RSA_BITS = 2048;
/** A longer one, or another exponent than usual, makes a verification cost milliseconds. */
const MAX_RSA_BITS = 4096;
const RSA_EXPONENT = 'AQAB';

/** Algorithms by which a key may sign; none for a key that cannot. */
export function algorithmsOf({ kty, crv = '', alg }: PublicJwk): readonly string[] {
  const fitting =
    kty === 'RSA'
      ? PROOF_ALGORITHMS.filter((name) => /^[RP]S/.test(name))
      : kty === 'EC'
        ? [CURVES[crv] ?? '']
        : crv === 'Ed25519'
          ? ['EdDSA', 'Ed25519']
          : [];
  // The two names of Ed25519 mean the same (RFC 9864 2.2).
  const isFree = alg === undefined || (crv === 'Ed25519' && fitting.includes(alg));
  return fitting.filter((name) => PROOF_ALGORITHMS.includes(name) && (isFree || alg === name));
}

/** @param entry of a key set. @returns the key, or why it verifies nothing, to be read after "a key" */
export function readPublicJwk(entry: unknown): ReadPublicJwk {
  if (typeof entry !== 'object' || entry === null) return { fault: 'is no JSON object' };
  const raw = entry as Readonly<Record<string, unknown>>;
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(raw, name))) return { fault: 'has a private part' };
  const members = Object.hasOwn(MEMBERS, String(raw['kty'])) ? MEMBERS[String(raw['kty'])] : undefined;
  if (members === undefined) return { fault: 'must be of kty RSA, EC or OKP' };
  const { use = 'sig', kid, alg } = raw;
  if (use !== 'sig') return { fault: 'is not for signatures' };
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID)) {
    return { fault: `must have a kid of 1 to ${MAX_KID} characters, or none` };
  }
  if (members.some((name) => typeof raw[name] !== 'string')) return { fault: `lacks ${members.join(', ')}` };
  const names = ['kty', ...members, ...(kid === undefined ? [] : ['kid']), ...(alg === undefined ? [] : ['alg'])];
  const key = Object.fromEntries(names.map((name) => [name, String(raw[name])]));
  if (algorithmsOf(key).length === 0) return { fault: `signs by none of ${PROOF_ALGORITHMS.join(', ')}` };
  const fault = findImportFault(key);
  return fault === null ? { key } : { fault };
}

function findImportFault(key: PublicJwk): string | null {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    if (key['kty'] !== 'RSA') return null;
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    const isUsual = key['e'] === RSA_EXPONENT && bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
    return isUsual ? null : `must be an RSA key of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits with the exponent 65537`;
  } catch {
    return 'has members that are no key';
  }
}
