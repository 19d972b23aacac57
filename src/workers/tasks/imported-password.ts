import { createCipheriv, scryptSync, timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcryptjs';
import type { BcryptHash, FirebaseHash } from './stored-hash.js';

/** bcrypt ignores everything after this. */
const BCRYPT_MAX_BYTES = 72;
const SETTING_LENGTH = 29;
const ZERO_IV = Buffer.alloc(16);

/**
 * Checks a password against a bcrypt hash. A password of more than 72 bytes never matches, since every one with the
 * same first 72 bytes would (SEC-46); it still takes the same time.
 */
export function matchesBcrypt(password: string, { setting, digest }: BcryptHash): boolean {
  const computed = bcrypt.hashSync(password, setting).slice(SETTING_LENGTH);
  return timingSafeEqual(Buffer.from(computed), Buffer.from(digest)) && Buffer.byteLength(password) <= BCRYPT_MAX_BYTES;
}

/** Checks a password against a Firebase hash: the scrypt key must encrypt the signer key to the digest. */
export function matchesFirebase(password: string, hash: FirebaseHash): boolean {
  const cost = 2 ** hash.costLog2;
  const key = scryptSync(password, hash.salt, 32, {
    N: cost,
    r: hash.blockSize,
    p: hash.parallelism,
    // RFC 7914, section 6: 128·r bytes for each of N blocks and p lanes; two more for working space.
    maxmem: 128 * hash.blockSize * (cost + hash.parallelism + 2),
  });
  const cipher = createCipheriv('aes-256-ctr', key, ZERO_IV);
  return timingSafeEqual(Buffer.concat([cipher.update(hash.signerKey), cipher.final()]), hash.digest);
}
