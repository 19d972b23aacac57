/** JSON bodies: what is refused before anyone looks at a field (SEC-25 to SEC-27, decisions.md 15). */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { refuse } from '../errors.js';
import type { Route } from './types.js';

export const MAX_DEPTH = 32;
/**
 * Most values a body may hold. Parsing and checking cost by the value, not by the byte: 1 MiB of `[[],[],…]` takes V8 some
 * 30 ms, and metadata of 10,000 keys takes 6 ms in all, of 5,000 keys 3 (SEC-87). All metadata of an account has less.
 */
export const MAX_VALUES = 5_000;

export type BodyRefusal = NonNullable<Route<unknown>['badBody']>;

/**
 * Parses a request body.
 * @param bytes the whole body
 * @returns the top-level object; `{}` for `null`. Of duplicate keys the last wins; keys named `__proto__` are gone.
 * @throws Refusal badJson. The reason never quotes the body, which may hold a password.
 */
export function parseJsonObject(bytes: Buffer, refusal: BodyRefusal = 'badJson'): Record<string, unknown> {
  const fail = (reason: string) => refuse(refusal, { reason });
  if (bytes.length === 0) throw fail('unexpected end of JSON input');
  if (!isUtf8(bytes)) throw fail('invalid UTF-8');
  const { excess, escapesByCode } = measure(bytes);
  if (excess !== null) throw fail(excess);
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(describe(error, text.length));
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw fail('the top level must be an object');
  // Valid UTF-8 holds no lone surrogate and a raw U+0000 is a syntax error, so only escapes can bring them in.
  if ((escapesByCode || text.includes('__proto__')) && !isClean(value)) {
    throw fail('U+0000 and unpaired surrogates are not allowed');
  }
  return value as Record<string, unknown>;
}

/** From here on transcode() is the faster one: a megabyte of é in 0.8 ms instead of 5. Below it costs 1 µs more. */
const MUCH_BYTES = 4096;

/** What toString('utf8') gives, in a tenth of the time where it is much. */
function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return bytes.length < MUCH_BYTES ? bytes.toString('utf8') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

const [QUOTE, COMMA, LETTER_U] = [0x22, 0x2c, 0x75];
const [OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d];

/**
 * One pass over the bytes before the parser sees them, in 1 to 2 ms a megabyte whatever it holds. Native searches are
 * quicker on plain text, but runs of backslashes or of digits made for them took three times as long. Bytes, since the
 * characters of a text take twice as long; what UTF-8 has beyond ASCII is never mistaken for structure.
 * @returns `excess` what is too much, or null; `escapesByCode` whether a text of it holds a `\u`
 */
function measure(bytes: Buffer): { excess: string | null; escapesByCode: boolean } {
  const length = bytes.length;
  let [depth, values, escapesByCode] = [0, 0, false];
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < length && bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH && bytes[++i] === LETTER_U) escapesByCode = true;
      }
    } else if (byte === COMMA) {
      values++;
    } else if (byte < OPEN_BRACKET) {
      continue;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++;
      if (++depth > MAX_DEPTH) return { excess: `nested deeper than ${MAX_DEPTH}`, escapesByCode };
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
    }
    if (values > MAX_VALUES) return { excess: `more than ${MAX_VALUES} values`, escapesByCode };
  }
  return { excess: null, escapesByCode };
}

/** False when a string or key cannot be stored. Drops `__proto__` keys on the way, so that no later copy meets them. */
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
