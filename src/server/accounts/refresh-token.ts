import { timingSafeEqual } from 'node:crypto';
import type { HmacSha256 } from '../../hmac-sha256.js';

/**
 * The refresh token: base64url of version (1 byte), session id (16), generation (unsigned LEB128), MAC (16 bytes of
 * HMAC-SHA-256). Nothing of it is stored, and a forged one is refused without touching the database (decisions.md 9).
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

/** Where tokens are put together and compared; nothing is kept in them from one call to the next. */
const workspace = Buffer.alloc(MAX_LENGTH);
const expectedMac = Buffer.alloc(MAC_BYTES);

/** @param mac the current one of Keys.refreshToken */
export function sealRefreshToken(token: RefreshToken, mac: HmacSha256): string {
  workspace[0] = VERSION;
  workspace.write(withoutHyphens(token.sessionId), 1, 'hex');
  const headEnd = writeVarint(token.generation, workspace, SESSION_ID_END);
  workspace.write(mac(workspace.subarray(0, headEnd), 'binary'), headEnd, MAC_BYTES, 'binary');
  return workspace.toString('base64url', 0, headEnd + MAC_BYTES);
}

/**
 * @param macs of every key that may have sealed it (Keys.refreshToken, accepted)
 * @returns undefined when the token was not made by this server, or was changed since
 */
export function openRefreshToken(text: string, macs: readonly HmacSha256[]): RefreshToken | undefined {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // One token has one spelling: the last character of base64 may carry bits that decoding drops.
  if (bytes.length < SESSION_ID_END + 1 + MAC_BYTES || bytes[0] !== VERSION || bytes.toString('base64url') !== text) {
    return undefined;
  }
  const head = bytes.subarray(0, -MAC_BYTES);
  const claimed = bytes.subarray(-MAC_BYTES);
  const isOurs = (mac: HmacSha256) => {
    expectedMac.write(mac(head, 'binary'), 'binary');
    return timingSafeEqual(expectedMac, claimed);
  };
  if (!macs.some(isOurs)) return undefined;
  const generation = readVarint(head, SESSION_ID_END);
  if (generation === undefined) return undefined;
  const hex = head.toString('hex', 1, SESSION_ID_END);
  const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { sessionId, generation };
}

/** At the places where they stand: a search for them takes three times as long. */
const withoutHyphens = (uuid: string): string =>
  uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);

/** @returns where it ends */
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

/** @returns undefined when it does not end where the bytes do */
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
