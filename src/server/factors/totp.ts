/** Codes of authenticator apps: RFC 6238 over RFC 4226, with SHA-1, 6 digits and steps of 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase32, encodeBase32 } from './base32.js';

/** RFC 4226, 4, recommends 160 bits. */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;
/** A code that fits so near is a clock that is wrong, rather than a guess. */
const MAX_DRIFT_STEPS = 10;

export interface TotpMatch {
  /** Steps since 1970; the caller accepts each only once. */
  readonly step: number;
  /** How many steps it is from now. */
  readonly offset: number;
}

export interface TotpClock {
  /** Seconds since the epoch. */
  readonly nowSeconds: number;
  /** Steps before and after now whose codes are accepted. */
  readonly skewSteps: number;
}

export interface TotpAccount {
  /** Shown by the app, as is the account. */
  readonly issuer: string;
  readonly account: string;
  /** Base32. */
  readonly secret: string;
}

/** @returns a new secret of 20 random bytes in base32 */
export const createTotpSecret = (): string => encodeBase32(randomBytes(SECRET_BYTES));

/** @returns the digits of a code as typed: apps show them in groups, with spaces or hyphens */
export const cleanCode = (code: string): string => code.replace(/[\s\u2010-\u2015-]/g, '');

/**
 * Compares a code with those of the steps around now, the nearest first. Time does not depend on the code.
 * @param secret base32
 * @param code as typed
 */
export function matchTotp(secret: string, code: string, { nowSeconds, skewSteps }: TotpClock): TotpMatch | null {
  const now = Math.floor(nowSeconds / STEP_SECONDS);
  const offset = findOffset(secret, code, now, 0, skewSteps);
  return offset === null ? null : { step: now + offset, offset };
}

/** @returns by how many steps the clock of a code that {@link matchTotp} refuses is wrong; null: it is a wrong code */
export const findTotpDrift = (secret: string, code: string, { nowSeconds, skewSteps }: TotpClock): number | null =>
  findOffset(secret, code, Math.floor(nowSeconds / STEP_SECONDS), skewSteps + 1, MAX_DRIFT_STEPS);

/** @returns the offset from `now` whose code it is, between `from` and `to` in either direction, or null */
function findOffset(secret: string, code: string, now: number, from: number, to: number): number | null {
  const key = decodeBase32(secret);
  const typed = Buffer.from(cleanCode(code));
  if (key === null || typed.length !== DIGITS) return null;
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
export function buildTotpUri({ issuer, account, secret }: TotpAccount): string {
  const parameters = {
    algorithm: 'SHA1',
    digits: DIGITS,
    issuer: escapeReserved(issuer),
    period: STEP_SECONDS,
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
export const accountNameOf = (user: { id: string; email: string | null; phone: string | null }): string =>
  user.email || user.phone || user.id;

/** RFC 3986, 2.2: encodeURIComponent leaves five of the reserved characters. */
const escapeReserved = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
