import { randomBytes } from 'node:crypto';
import type { Argon2Cost } from './argon2-engine.js';
import { parseStoredHash, type StoredHash, writeArgon2 } from './stored-hash.js';

// RFC 9106, 3.1 and 4: 128 bits of salt, 256 of digest.
export const SALT_BYTES = 16;
export const DIGEST_BYTES = 32;

/** More kinds than a database has; further ones are created each time. */
const MAX_KEPT = 32;
/** Salt and digest of bcrypt in its own base64. */
const BCRYPT_CHARACTERS = 22 + 31;
// The usual lengths of Firebase's export.
const FIREBASE_SEPARATOR_BYTES = 1;
const FIREBASE_SALT_BYTES = 8;
const FIREBASE_KEY_BYTES = 64;

/** Hashes of random bytes: no password matches, and checking them takes as long as real ones (SEC-47, SEC-92). */
export interface Decoys {
  /** @param kind prefix of a hash before its salt; null or unreadable: that of new hashes */
  of(kind: string | null): StoredHash;
  has(hash: StoredHash): boolean;
}

/** @param cost of new hashes */
export function makeDecoys(cost: Argon2Cost): Decoys {
  const made = new WeakSet<StoredHash>();
  const kept = new Map<string, StoredHash>();
  const keep = (text: string): StoredHash | null => {
    const hash = parseStoredHash(text);
    if (hash !== null) made.add(hash);
    return hash;
  };
  const usual = keep(writeArgon2({ cost, salt: randomBytes(SALT_BYTES), digest: randomBytes(DIGEST_BYTES) }))!;
  return {
    of(kind) {
      if (kind === null) return usual;
      let decoy = kept.get(kind);
      if (decoy !== undefined) return decoy;
      decoy = keep(completeHash(kind)) ?? usual;
      if (kept.size < MAX_KEPT) kept.set(kind, decoy);
      return decoy;
    },
    has: (hash) => made.has(hash),
  };
}

function completeHash(kind: string): string {
  if (kind.startsWith('$argon2')) return `${kind}$${unpadded(SALT_BYTES)}$${unpadded(DIGEST_BYTES)}`;
  if (kind.startsWith('$fbscrypt')) {
    const [separator, salt] = [padded(FIREBASE_SEPARATOR_BYTES), padded(FIREBASE_SALT_BYTES)];
    return `${kind},ss=${separator},sk=${padded(FIREBASE_KEY_BYTES)}$${salt}$${padded(FIREBASE_KEY_BYTES)}`;
  }
  // Its base64 has the dot in place of the plus.
  return `${kind}$${padded(BCRYPT_CHARACTERS).replaceAll('+', '.').slice(0, BCRYPT_CHARACTERS)}`;
}

const padded = (bytes: number): string => randomBytes(bytes).toString('base64');
const unpadded = (bytes: number): string => padded(bytes).replace(/=+$/, '');
