/** The two formats of refresh tokens that supabase/auth issues. */
import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { readTokenHead } from './refresh-token.js';

/**
 * Version 2: base64url of 0 (1 byte), session id (16), counter (unsigned LEB128), MAC (16 bytes of HMAC-SHA-256 under the
 * session's key), checksum (4 bytes of SHA-256 over all before). Version 1 is 12 random characters, in old releases 22.
 */
export interface PeerToken {
  readonly sessionId: string;
  readonly counter: number;
  readonly bytes: Buffer;
}

const OPAQUE = /^[A-Za-z0-9_-]{12,32}$/;
const NAMED = /^[A-Za-z0-9_-]{51,63}$/;
const MAC_BYTES = 16;
const CHECKSUM_BYTES = 4;

/** Shorter than a token of ours, so that a forged one of ours needs no query. */
export const isOpaqueToken = (text: string): boolean => OPAQUE.test(text);

/** What is stored of an opaque token. @param key of Keys.movedToken */
export const hashOpaqueToken = (text: string, key: KeyObject): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** @returns undefined for another format, or a wrong checksum; the MAC is not checked */
export function readPeerToken(text: string): PeerToken | undefined {
  if (!NAMED.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes[0] !== 0 || bytes.toString('base64url') !== text) return undefined;
  const checksum = createHash('sha256').update(bytes.subarray(0, -CHECKSUM_BYTES)).digest();
  if (!checksum.subarray(0, CHECKSUM_BYTES).equals(bytes.subarray(-CHECKSUM_BYTES))) return undefined;
  const head = readTokenHead(bytes.subarray(0, -CHECKSUM_BYTES - MAC_BYTES));
  return head === undefined ? undefined : { sessionId: head.sessionId, counter: head.generation, bytes };
}

/** @param key 32 bytes, of the session */
export function hasPeerMac({ bytes }: PeerToken, key: Buffer): boolean {
  const expected = createHmac('sha256', key)
    .update(bytes.subarray(0, -CHECKSUM_BYTES - MAC_BYTES))
    .digest();
  return timingSafeEqual(expected.subarray(0, MAC_BYTES), bytes.subarray(-CHECKSUM_BYTES - MAC_BYTES, -CHECKSUM_BYTES));
}
