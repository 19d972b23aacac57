/** JSON bodies: checks before any field is read (SEC-25 to SEC-27; docs/decisions.md, JSON bodies). */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { findInexactNumber, isOfNumber } from '../../exact-numbers.js';
import { apiError } from '../errors.js';
import type { Route } from './types.js';

export const MAX_DEPTH = 32;
/**
 * Limit of values in a body. Parsing and checking cost per value, not per byte: V8 takes 30 ms for 1 MiB of
 * `[[],[],…]`, 6 ms for metadata with 10,000 keys and 3 ms for 5,000 (SEC-87). The metadata of an account is limited to
 * fewer.
 */
export const MAX_VALUES = 5_000;

export type BodyErrorName = NonNullable<Route<unknown>['badBody']>;

/**
 * Parses a request body.
 * @param bytes the whole body
 * @param maxValues that it may have
 * @returns the top-level object; `{}` for `null`. Of duplicate keys the last wins; `__proto__` keys are removed.
 * @throws ApiError badJson, whose reason never quotes the body, which may contain a password; numberInexact, which names
 *   the member
 */
export function parseJsonObject(
  bytes: Buffer,
  errorName: BodyErrorName = 'badJson',
  maxValues = MAX_VALUES,
): Record<string, unknown> {
  const fail = (reason: string) => apiError(errorName, { reason });
  if (bytes.length === 0) throw fail('unexpected end of JSON input');
  if (!isUtf8(bytes)) throw fail('invalid UTF-8');
  const { excess, escapesByCode, hasLongNumber } = measure(bytes, maxValues);
  if (excess !== null) throw fail(excess);
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(describe(error, text.length));
  }
  const inexact = hasLongNumber ? findInexactNumber(text) : null;
  if (inexact !== null) throw apiError('numberInexact', { member: inexact });
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw fail('the top level must be an object');
  // Valid UTF-8 has no lone surrogate, and a raw U+0000 is a syntax error, so both can only come from escapes.
  if ((escapesByCode || text.includes('__proto__')) && !isClean(value)) {
    throw fail('U+0000 and unpaired surrogates are not allowed');
  }
  return value as Record<string, unknown>;
}

/** Above this size transcode() is faster: 0.8 ms instead of 5 for a megabyte of é. Below it takes 1 µs more. */
const MUCH_BYTES = 4096;

/** The result of toString('utf8'), up to ten times faster for large bodies. */
function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return bytes.length < MUCH_BYTES ? bytes.toString('utf8') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

const [QUOTE, COMMA, LETTER_U, LETTER_E, CAPITAL_E, ZERO, NINE] = [0x22, 0x2c, 0x75, 0x65, 0x45, 0x30, 0x39];
/** A double keeps every number of so many digits. */
const SAFE_DIGITS = 15;
const [OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];

/**
 * One pass over the bytes before parsing, in 1 to 2 ms per megabyte for any input. Native searches are faster on plain
 * text, but three times slower on crafted runs of backslashes or digits. Characters of a string would take twice as
 * long; bytes of UTF-8 beyond ASCII are never mistaken for structure.
 * @returns `excess` the exceeded limit, or null; `escapesByCode` whether a string contains `\u`; `hasLongNumber` whether
 *   a number may be more than a double keeps
 */
function measure(
  bytes: Buffer,
  maxValues: number,
): { excess: string | null; escapesByCode: boolean; hasLongNumber: boolean } {
  const length = bytes.length;
  let [depth, values, escapesByCode, hasLongNumber] = [0, 0, false, false];
  const found = (excess: string | null) => ({ excess, escapesByCode, hasLongNumber });
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH && bytes[++i] === LETTER_U) escapesByCode = true;
      }
    } else if (byte === COMMA) {
      values++;
    } else if (byte < OPEN_BRACKET) {
      if (byte < ZERO || byte > NINE) continue;
      const start = i;
      while (i + 1 < length && isOfNumber(bytes[i + 1]!)) i++;
      // An exponent of three digits makes five characters.
      hasLongNumber ||= i - start >= SAFE_DIGITS || (i - start >= 4 && hasExponent(bytes, start, i));
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      if (++depth > MAX_DEPTH) return found(`nested deeper than ${MAX_DEPTH}`);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
    if (values > maxValues) return found(`more than ${maxValues} values`);
  }
  return found(null);
}

function hasExponent(bytes: Buffer, start: number, last: number): boolean {
  for (let i = start; i <= last; i++) if (bytes[i] === LETTER_E || bytes[i] === CAPITAL_E) return true;
  return false;
}

/**
 * False when a string or key cannot be stored. Removes `__proto__` keys, so that later copies cannot set a prototype.
 */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isClean);
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    if (!isStorable(key)) return false;
    if (key === '__proto__') delete record[key];
    else if (!isClean(record[key])) return false;
  }
  return true;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function describe(error: unknown, length: number): string {
  const message = String((error as Error).message);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (/end of JSON|unterminated/i.test(message) || Number(position) >= length) return 'unexpected end of JSON input';
  return position === undefined ? 'invalid character' : `invalid character at position ${position}`;
}
