import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * The refresh token: base64url of version (1 byte), session id (16), generation (unsigned LEB128), MAC (16 bytes of
 * HMAC-SHA-256). It is not stored, and a forged one is rejected without a query (docs/decisions.md, Refresh tokens).
 */
export interface RefreshToken {
  readonly sessionId: string;
  readonly generation: number;
}

const VERSION = 1;
const SESSION_ID_END = 17;
const MAC_BYTES = 16;
/** Longest: 1 + 16 + 8 (2^53 in LEB128) + 16 bytes, in base64url. */
const MAX_LENGTH = 55;

/** Reused buffers; they carry no state between calls. */
const workspace = Buffer.alloc(MAX_LENGTH);
const expectedMac = Buffer.alloc(MAC_BYTES);

/** @param key the current one of Keys.refreshToken */
export function sealRefreshToken(token: RefreshToken, key: KeyObject): string {
  workspace[0] = VERSION;
  workspace.write(withoutHyphens(token.sessionId), 1, 'hex');
  const headEnd = writeVarint(token.generation, workspace, SESSION_ID_END);
  writeMac(workspace.subarray(0, headEnd), key, workspace, headEnd);
  return workspace.toString('base64url', 0, headEnd + MAC_BYTES);
}

/**
 * @param keys all accepted keys of Keys.refreshToken
 * @returns undefined when no key matches
 */
export function openRefreshToken(text: string, keys: readonly KeyObject[]): RefreshToken | undefined {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // Only the canonical encoding: decoding ignores spare bits of the last base64url character.
  if (bytes.length < SESSION_ID_END + 1 + MAC_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== text) {
    return undefined;
  }
  const head = bytes.subarray(0, -MAC_BYTES);
  const claimed = bytes.subarray(-MAC_BYTES);
  const isOurs = (key: KeyObject) => {
    writeMac(head, key, expectedMac, 0);
    return timingSafeEqual(expectedMac, claimed);
  };
  return keys.some(isOurs) ? readTokenHead(head) : undefined;
}

/**
 * Reads session id and generation.
 * @param head a byte for the version, the session id, the varint, and nothing else
 * @returns undefined when the varint does not end with the bytes
 */
export function readTokenHead(head: Buffer): RefreshToken | undefined {
  const generation = readVarint(head, SESSION_ID_END);
  if (generation === undefined) return undefined;
  const hex = head.toString('hex', 1, SESSION_ID_END);
  const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { sessionId, generation };
}

/** By way of a string: a digest as Buffer takes 50 % longer. */
function writeMac(head: Uint8Array, key: KeyObject, bytes: Buffer, start: number): void {
  bytes.write(createHmac('sha256', key).update(head).digest('binary'), start, MAC_BYTES, 'binary');
}

/** By position: replaceAll takes three times as long. */
const withoutHyphens = (uuid: string): string =>
  uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);

/** @returns the end of the varint */
function writeVarint(value: number, bytes: Buffer, start: number): number {
  let end = start;
  let rest = value;
  while (rest >= 128) {
    bytes[end++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end++] = rest;
  return end;
}

/** @returns undefined when the varint does not end with the bytes */
function readVarint(bytes: Buffer, start: number): number | undefined {
  let value = 0;
  let factor = 1;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]!;
    value += (byte & 127) * factor;
    factor *= 128;
    const isLast = byte < 128;
    if (isLast !== (i === bytes.length - 1)) return undefined;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}
