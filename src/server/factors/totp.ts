/** Codes of authenticator apps: RFC 6238 over RFC 4226, with SHA-1, 6 digits and steps of 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from './base32.js';

/** RFC 4226, 4, recommends 160 bits. */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** A code that fits so near is a clock that is wrong, rather than a guess. */
const MAX_DRIFT_STEPS = 10;

export type TotpMatch =
  /** `step` counts from 1970; the caller accepts each only once. `offset` is how far it is from now. */
  | { readonly result: 'accepted'; readonly step: number; readonly offset: number }
  /** The right code of another time: refused, and worth a line in the log. */
  | { readonly result: 'drift'; readonly offset: number }
  | { readonly result: 'wrong' };

export interface TotpTry {
  /** Base32. */
  readonly secret: string;
  /** As typed. */
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Steps before and after now whose codes are accepted. */
  readonly skewSteps: number;
}

/** @returns a new secret of 20 random bytes in base32 */
export const createTotpSecret = (): string => encodeBase32(randomBytes(SECRET_BYTES));

/** @returns the digits of a code as typed: apps show them in groups, with spaces or hyphens */
export const cleanCode = (code: string): string => code.replace(/[\s\u2010-\u2015-]/g, '');

/** Compares a code with those of the steps around now, the nearest first. Time does not depend on the code. */
export function matchTotpCode({ secret, code, nowMs, skewSteps }: TotpTry): TotpMatch {
  const digits = cleanCode(code);
  const key = decodeBase32(secret);
  if (key === null || !/^\d{6}$/.test(digits)) return { result: 'wrong' };
  const now = Math.floor(nowMs / STEP_MS);
  const accepted = findOffset(key, digits, now, 0, skewSteps);
  if (accepted !== null) return { result: 'accepted', step: now + accepted, offset: accepted };
  const offset = findOffset(key, digits, now, skewSteps + 1, MAX_DRIFT_STEPS);
  return offset === null ? { result: 'wrong' } : { result: 'drift', offset };
}

/** @returns the offset from `now` whose code it is, between `from` and `to` in either direction, or null */
function findOffset(key: Buffer, digits: string, now: number, from: number, to: number): number | null {
  const typed = Buffer.from(digits);
  let found: number | null = null;
  for (let distance = from; distance <= to; distance++) {
    for (const offset of distance === 0 ? [0] : [-distance, distance]) {
      const isEqual = timingSafeEqual(Buffer.from(hotpCode(key, now + offset)), typed);
      if (isEqual && found === null) found = offset;
    }
  }
  return found;
}

/**
 * The code of a counter (RFC 4226, 5.3).
 * @param counter for TOTP the step: seconds since 1970 divided by 30
 */
export function hotpCode(key: Buffer, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(message).digest();
  const offset = mac.at(-1)! & 0xf;
  const truncated = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** What an authenticator app reads: the parameters sorted by name, with every reserved character escaped. */
export function totpUri(issuer: string, account: string, secret: string): string {
  const parameters = {
    algorithm: 'SHA1',
    digits: DIGITS,
    issuer: escapeReserved(issuer),
    period: STEP_MS / 1000,
    secret,
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `otpauth://totp/${escapeReserved(issuer)}:${escapeReserved(account)}?${query.join('&')}`;
}

/** @returns what an app shows unless the request names an issuer: the host of the site, with its port */
export function defaultIssuer(siteUrl: string): string {
  const { host, protocol } = new URL(siteUrl);
  return host || protocol.slice(0, -1);
}

/** @returns the account name that an app shows */
export const totpAccount = (user: { id: string; email: string | null; phone: string | null }): string =>
  user.email || user.phone || user.id;

/** RFC 3986, 2.2: encodeURIComponent leaves five of the reserved characters. */
const escapeReserved = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
