/** Reads one JSON Web Key of AUTH_JWT_KEYS. A fault names the member that is wrong, never its value (SEC-74). */
import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  type AsymmetricAlgorithm,
  isJwsAlgorithm,
  type JwsAlgorithm,
  jwsAlgorithms,
  type KeyMembers,
  signBytes,
  verifyBytes,
} from './algorithms.js';

/** A key of access tokens. Plain data, since the configuration is cloned into every thread. */
export interface TokenKey {
  readonly kid: string;
  readonly alg: JwsAlgorithm;
  /** It signs; the others only verify. */
  readonly signs: boolean;
  /** Members of the key alone, private ones included if they are there. */
  readonly jwk: KeyMembers;
  /** Members that the entry did not have. */
  readonly derived: readonly ('kid' | 'alg')[];
}

export type ReadKey = { readonly key: TokenKey } | { readonly faults: readonly string[] };

/** RFC 7518 6, RFC 8037 2. */
const members = {
  oct: { open: [], closed: ['k'] },
  RSA: { open: ['n', 'e'], closed: ['d', 'p', 'q', 'dp', 'dq', 'qi'] },
  EC: { open: ['crv', 'x', 'y'], closed: ['d'] },
  OKP: { open: ['crv', 'x'], closed: ['d'] },
} as const;

/** RFC 7517 4.3. */
const KEY_OPS = new Set([
  ...['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey', 'deriveKey', 'deriveBits'],
]);
const MIN_RSA_BITS = 2048;
/** A signature with a longer key takes more than 10 ms. */
const MAX_RSA_BITS = 8192;
const MAX_KID_CHARACTERS = 128;

/**
 * @param entry an element of the JSON array
 * @returns the key, or everything that is wrong with the entry, each to be read after its name
 */
export function readTokenKey(entry: unknown): ReadKey {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { faults: ['is no JSON object'] };
  const raw = entry as Readonly<Record<string, unknown>>;
  const faults: string[] = [];
  const kty = raw['kty'];
  if (typeof kty !== 'string' || !Object.hasOwn(members, kty)) {
    faults.push('must have a kty: oct, RSA, EC or OKP');
    return { faults: [...faults, ...findKidFaults(raw['kid']), ...findOpsFaults(raw['key_ops'])] };
  }
  const jwk = copyMembers(raw, kty as keyof typeof members, faults);
  const { alg, fault } = chooseAlgorithm(raw['alg'], jwk);
  if (fault !== null) faults.push(fault);
  faults.push(...findKidFaults(raw['kid']), ...findOpsFaults(raw['key_ops']));
  if ('aws:kms:arn' in raw) faults.push('names a key of AWS KMS, which is not supported: a key must be in the entry');
  const signs = Array.isArray(raw['key_ops']) && raw['key_ops'].includes('sign');
  if (signs && !hasPrivatePart(jwk)) faults.push('is to sign, but has no private part');
  if (faults.length === 0) faults.push(...findKeyFaults(jwk, alg!));
  if (faults.length > 0) return { faults };
  const { kid } = raw as { kid?: string };
  const derived = [kid === undefined ? 'kid' : null, raw['alg'] === undefined ? 'alg' : null];
  return {
    key: {
      kid: kid ?? thumbprint(jwk),
      alg: alg!,
      signs,
      jwk,
      derived: derived.filter((name): name is 'kid' | 'alg' => name !== null),
    },
  };
}

/** The thumbprint of a key (RFC 7638), which is its kid where it has none. */
export function thumbprint(jwk: KeyMembers): string {
  const { open, closed } = members[jwk.kty as keyof typeof members];
  const required = jwk.kty === 'oct' ? closed : open;
  const text = JSON.stringify(Object.fromEntries(['kty', ...required].sort().map((name) => [name, jwk[name]])));
  return createHash('sha256').update(text).digest('base64url');
}

/** Without the private members: nothing at all of a symmetric key. */
export function publicMembers(jwk: KeyMembers): KeyMembers {
  const { open } = members[jwk.kty as keyof typeof members];
  return Object.fromEntries(['kty', ...open].map((name) => [name, jwk[name]!])) as unknown as KeyMembers;
}

export const hasPrivatePart = ({ kty, d }: KeyMembers): boolean => kty === 'oct' || d !== undefined;

/** @throws Error when the members are no key */
export const importPublicKey = (jwk: KeyMembers): KeyObject =>
  createPublicKey({ key: publicMembers(jwk) as unknown as JsonWebKey, format: 'jwk' });

function copyMembers(raw: Readonly<Record<string, unknown>>, kty: keyof typeof members, faults: string[]): KeyMembers {
  const { open, closed } = members[kty];
  const isPrivate = kty === 'oct' || closed.some((name) => raw[name] !== undefined);
  const jwk: Record<string, string> = { kty };
  const missing: string[] = [];
  for (const name of [...open, ...(isPrivate ? closed : [])]) {
    const value = raw[name];
    if (value === undefined) missing.push(name);
    else if (typeof value === 'string' && isBase64(value, name)) jwk[name] = toBase64url(value);
    else faults.push(`has a member ${name} that is no base64url text`);
  }
  if (missing.length > 0) faults.push(`lacks ${missing.join(', ')}`);
  if (raw['oth'] !== undefined) faults.push('has more than two primes, which is not supported');
  return jwk as unknown as KeyMembers;
}

/** A secret is often in the other alphabet of RFC 4648, as `openssl rand -base64 48` prints it. */
const isBase64 = (value: string, name: string): boolean => (name === 'k' ? /^[\w+/-]+={0,2}$/ : /^[\w-]+$/).test(value);

/** From either alphabet of RFC 4648, padded or not. */
export const toBase64url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

function chooseAlgorithm(given: unknown, { kty, crv }: KeyMembers): { alg: JwsAlgorithm | null; fault: string | null } {
  const fitting = (Object.keys(jwsAlgorithms) as JwsAlgorithm[]).filter((name) => {
    const wanted: { kty: string; crv?: string } = jwsAlgorithms[name];
    return wanted.kty === kty && (wanted.crv === undefined || wanted.crv === crv);
  });
  const known = Object.keys(jwsAlgorithms).join(', ');
  if (given !== undefined && !isJwsAlgorithm(given))
    return { alg: null, fault: `must have one of these as alg: ${known}` };
  if (fitting.length === 0) {
    const curves = kty === 'EC' ? 'P-256 or P-521' : 'Ed25519';
    return { alg: null, fault: crv === undefined ? null : `must have ${curves} as crv` };
  }
  if (given === undefined) return { alg: fitting[0]!, fault: null };
  if (fitting.includes(given)) return { alg: given, fault: null };
  return { alg: null, fault: `has an alg that does not fit the key: it must be ${fitting.join(' or ')}` };
}

function findKidFaults(kid: unknown): string[] {
  if (kid === undefined) return [];
  const isUsable = typeof kid === 'string' && kid.length <= MAX_KID_CHARACTERS && /^[\x20-\x7e]+$/.test(kid);
  return isUsable ? [] : [`must have a kid of 1 to ${MAX_KID_CHARACTERS} characters of ASCII, or none`];
}

function findOpsFaults(ops: unknown): string[] {
  if (ops === undefined) return [];
  if (!Array.isArray(ops)) return ['must have a list as key_ops'];
  return ops.every((op) => KEY_OPS.has(op as string)) ? [] : ['has unknown key_ops: use sign and verify'];
}

/** Whether the members are a key, and its two parts belong together. */
function findKeyFaults(jwk: KeyMembers, alg: JwsAlgorithm): string[] {
  if (alg === 'HS256') return [];
  const asymmetric: AsymmetricAlgorithm = alg;
  let key: KeyObject;
  try {
    key = importPublicKey(jwk);
  } catch {
    return [`is no ${jwk.kty} key: its public members do not fit together`];
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  if (bits < MIN_RSA_BITS) return [`is an RSA key of ${bits} bits: it must have ${MIN_RSA_BITS} or more`];
  if (bits > MAX_RSA_BITS) return [`is an RSA key of ${bits} bits: it must have ${MAX_RSA_BITS} or fewer`];
  if (!hasPrivatePart(jwk)) return [];
  try {
    const data = Buffer.from('test');
    const signature = signBytes(
      asymmetric,
      createPrivateKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' }),
      data,
    );
    if (verifyBytes(asymmetric, key, data, signature)) return [];
  } catch {
    // The same fault.
  }
  return ['has a private part that does not belong to its public one'];
}
