import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { OneTimeCodeParts } from '../wire.js';

/** Keeps this key apart from every other derived from the same secret. Changing it voids all codes on their way. */
const KEY_LABEL = 'latchkey one-time code v1';

/**
 * Makes the keyed hash of one-time codes. Short codes can be tried out in full by whoever reads the database, unless a
 * key that is not in it goes in too; the purpose and the recipient keep a code from being used elsewhere (SEC-37).
 * @param secret the server secret; the key is derived from it (HKDF-SHA-256, RFC 5869)
 * @returns a function to HMAC-SHA-256 in lower-case hex
 */
export function makeOneTimeCodeHasher(secret: string): (parts: OneTimeCodeParts) => string {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_LABEL, 32)));
  return (parts) => {
    const mac = createHmac('sha256', key);
    // Each part is preceded by its length in bytes, so that no two triples give the same input.
    for (const part of parts) {
      const bytes = Buffer.from(part);
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32BE(bytes.length);
      mac.update(length).update(bytes);
    }
    return mac.digest('hex');
  };
}
