import type { Argon2Parameters } from '../wire.js';
import type { Argon2Cost } from './argon2-engine.js';

/** A parsed password hash. */
export type StoredHash = Argon2Hash | BcryptHash | FirebaseHash;

export interface Argon2Hash {
  readonly kind: 'argon2';
  readonly cost: Argon2Cost;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

export interface BcryptHash {
  readonly kind: 'bcrypt';
  /** Version, cost and salt: the first 29 characters. */
  readonly setting: string;
  /** The last 31 characters, in bcrypt's own base64. */
  readonly digest: string;
}

/** Firebase's variant of scrypt: https://github.com/firebase/scrypt */
export interface FirebaseHash {
  readonly kind: 'firebase';
  readonly costLog2: number;
  readonly blockSize: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  /** The project's signer key, which the derived key encrypts. */
  readonly signerKey: Buffer;
  readonly digest: Buffer;
}

// Imported hashes may have any cost. Without limits one could occupy a thread for hours or use all memory.
const MAX_ARGON2_MEMORY_KIB = 1_048_576;
const MAX_ARGON2_ITERATIONS = 20;
const MAX_ARGON2_PARALLELISM = 16;
const MAX_BCRYPT_COST = 16;
// Firebase itself allows at most 14 and 8.
const MAX_FIREBASE_COST_LOG2 = 16;
const MAX_FIREBASE_BLOCK_SIZE = 16;
const MAX_FIREBASE_PARALLELISM = 4;

const PADDED = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?';
// PHC strings: no leading zeros, unpadded base64, salt of 8 to 48 bytes, digest of 12 to 64 bytes; keyid, data and
// every version but 19 do not match. https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
const ARGON2 =
  /^\$(argon2id?)\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{16,86})$/;
const BCRYPT = /^(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const FIREBASE = new RegExp(
  `^\\$fbscrypt\\$v=1,n=([1-9]\\d?),r=([1-9]\\d?),p=([1-9]\\d?)(?:,ss=(${PADDED}))?,sk=(${PADDED})\\$(${PADDED})\\$(${PADDED})$`,
);
const LONGEST_HASH = 1024;

/**
 * Parses a stored password hash; its prefix gives the kind.
 * @param hash PHC string of argon2i or argon2id, bcrypt `$2a` `$2b` `$2y`, or Firebase `$fbscrypt`
 * @returns null for another kind, a malformed hash or a cost above the limits
 */
export function parseStoredHash(hash: string): StoredHash | null {
  if (hash.length > LONGEST_HASH) return null;
  if (hash.startsWith('$argon2')) return parseArgon2(hash);
  if (hash.startsWith('$fbscrypt')) return parseFirebase(hash);
  return parseBcrypt(hash);
}

/** Formats an Argon2 hash as a PHC string. */
export function writeArgon2({ cost, salt, digest }: Omit<Argon2Hash, 'kind'>): string {
  return `${argon2Kind(cost, cost.variant)}$${unpadded(salt)}$${unpadded(digest)}`;
}

/** Common prefix of all hashes of a cost. */
export const argon2Kind = (
  { memoryKiB, iterations, parallelism }: Argon2Parameters,
  variant: Argon2Cost['variant'] = 'argon2id',
): string => `$${variant}$v=19$m=${memoryKiB},t=${iterations},p=${parallelism}`;

function parseArgon2(hash: string): Argon2Hash | null {
  const [, variant, m, t, p, saltText, digestText] = ARGON2.exec(hash) ?? [];
  if (saltText === undefined || digestText === undefined) return null;
  const [memoryKiB, iterations, parallelism] = [Number(m), Number(t), Number(p)];
  if (memoryKiB > MAX_ARGON2_MEMORY_KIB || iterations > MAX_ARGON2_ITERATIONS) return null;
  // RFC 9106, 3.1: at least eight blocks of 1 KiB for each lane.
  if (parallelism > MAX_ARGON2_PARALLELISM || memoryKiB < 8 * parallelism) return null;
  const salt = Buffer.from(saltText, 'base64');
  const digest = Buffer.from(digestText, 'base64');
  if (unpadded(salt) !== saltText || unpadded(digest) !== digestText) return null;
  const cost: Argon2Cost = {
    variant: variant as Argon2Cost['variant'],
    memoryKiB,
    iterations,
    parallelism,
    digestBytes: digest.length,
  };
  return { kind: 'argon2', cost, salt, digest };
}

function parseBcrypt(hash: string): BcryptHash | null {
  const [, setting, costText, digest] = BCRYPT.exec(hash) ?? [];
  if (setting === undefined || digest === undefined) return null;
  const cost = Number(costText);
  return cost >= 4 && cost <= MAX_BCRYPT_COST ? { kind: 'bcrypt', setting, digest } : null;
}

function parseFirebase(hash: string): FirebaseHash | null {
  const [, n, r, p, separator, signerKeyText, saltText, digestText] = FIREBASE.exec(hash) ?? [];
  if (signerKeyText === undefined || saltText === undefined || digestText === undefined) return null;
  const [costLog2, blockSize, parallelism] = [Number(n), Number(r), Number(p)];
  if (costLog2 > MAX_FIREBASE_COST_LOG2 || blockSize > MAX_FIREBASE_BLOCK_SIZE) return null;
  if (parallelism > MAX_FIREBASE_PARALLELISM) return null;
  const signerKey = Buffer.from(signerKeyText, 'base64');
  const digest = Buffer.from(digestText, 'base64');
  // The digest is the encrypted signer key. An empty one would match every password.
  if (signerKey.length < 16 || digest.length !== signerKey.length) return null;
  const salt = Buffer.concat([Buffer.from(saltText, 'base64'), Buffer.from(separator ?? '', 'base64')]);
  return { kind: 'firebase', costLog2, blockSize, parallelism, salt, signerKey, digest };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
