import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;

/** A random secret of 256 bits, and what is stored of it. */
export function makeClientSecret(): { readonly secret: string; readonly hash: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, hash: hashClientSecret(secret) };
}

/** SHA-256, base64url: guessing 256 random bits is hopeless at any speed. */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Compares in constant time. */
export function isClientSecret(secret: string, hash: string | null): boolean {
  const given = Buffer.from(hashClientSecret(secret));
  const stored = Buffer.from(hash ?? '');
  return given.length === stored.length && timingSafeEqual(given, stored);
}
