/**
 * HMAC-SHA-256 for the three MACs of a refresh: two calls of the one-shot crypto.hash() take half the time of
 * createHmac() (0.75 instead of 1.5 µs for a refresh token), and leave no native object to the garbage collector.
 */
import { type BinaryToTextEncoding, createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer messages are rare, and for them createHmac() is as fast. */
const MAX_MESSAGE_BYTES = 8192;

/** @param message bytes, or characters below U+0080 */
export type Hmac = (message: Uint8Array | string, encoding: BinaryToTextEncoding) => string;

/**
 * Prepares a key (RFC 2104, 2: H(K xor opad, H(K xor ipad, text))).
 * @param secret of any length
 */
export function makeHmac(secret: Uint8Array): Hmac {
  const key = secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret;
  const inner = Buffer.alloc(BLOCK_BYTES + MAX_MESSAGE_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = key[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  return (message, encoding) => {
    const { length } = message;
    if (length > MAX_MESSAGE_BYTES) return createHmac('sha256', key).update(message).digest(encoding);
    if (typeof message === 'string') inner.write(message, BLOCK_BYTES, 'latin1');
    else inner.set(message, BLOCK_BYTES);
    // As strings, since a digest as Buffer takes four times as long.
    outer.write(hash('sha256', inner.subarray(0, BLOCK_BYTES + length), 'binary'), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, encoding);
  };
}
