/**
 * RSA-OAEP (RFC 8017, 7.1.2) with one hash for the digest and another for the mask, which node:crypto does not have. The first
 * RSA-OAEP of XML Encryption has the mask SHA-1 whatever its digest is, and Keycloak sends it with SHA-256.
 */
import { constants, createHash, privateDecrypt, timingSafeEqual } from 'node:crypto';

/**
 * @param key PEM
 * @param digest as node:crypto names hashes
 * @throws Error for everything that was not encrypted for the key, without saying why (7.1.2, note)
 */
export function decryptOaep(key: string, bytes: Buffer, digest: string, mask: string): Buffer {
  if (digest === mask)
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: digest }, bytes);
  const encoded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, bytes);
  const label = createHash(digest).digest();
  const seedEnd = 1 + label.length;
  const seed = xor(encoded.subarray(1, seedEnd), makeMask(mask, encoded.subarray(seedEnd), label.length));
  const block = xor(encoded.subarray(seedEnd), makeMask(mask, seed, encoded.length - seedEnd));
  // All is looked at before anything is refused: Manger's attack (CRYPTO 2001) needs to know what was wrong.
  let fault = encoded[0]! | (timingSafeEqual(block.subarray(0, label.length), label) ? 0 : 1);
  let start = 0;
  for (let at = label.length; at < block.length; at++) {
    const byte = block[at]!;
    if (start === 0 && byte === 1) start = at + 1;
    else if (start === 0) fault |= byte;
  }
  if (fault !== 0 || start === 0) throw new Error('not encrypted for this key');
  return block.subarray(start);
}

/** MGF1 (B.2.1). */
function makeMask(hash: string, seed: Buffer, length: number): Buffer {
  const blocks: Buffer[] = [];
  for (let count = 0, made = 0; made < length; count++) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    const block = createHash(hash).update(seed).update(counter).digest();
    blocks.push(block);
    made += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const xor = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, at) => byte ^ other[at]!));
