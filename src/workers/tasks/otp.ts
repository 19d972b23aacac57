import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { OneTimeCodeParts } from '../wire.js';

/** Separates this key from others derived from the same secret. Changing it invalidates all pending codes. */
const KEY_LABEL = 'latchkey one-time code v1';

/**
 * Creates the keyed hash of one-time codes. The key, which is not in the database, prevents trying out all short codes
 * on a leaked database. Purpose and recipient prevent the use of a code elsewhere (SEC-37).
 * @param secret the server secret; the key is derived from it (HKDF-SHA-256, RFC 5869)
 * @returns a function to HMAC-SHA-256 in lower-case hex
 */
export function makeOneTimeCodeHasher(secret: string): (parts: OneTimeCodeParts) => string {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_LABEL, 32)));
  return (parts) => {
    const mac = createHmac('sha256', key);
    // Each part follows its length in bytes, so that different triples never give the same input.
    for (const part of parts) {
      const bytes = Buffer.from(part);
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32BE(bytes.length);
      mac.update(length).update(bytes);
    }
    return mac.digest('hex');
  };
}
