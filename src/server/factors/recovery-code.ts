/** How recovery codes look, and their hash. */
import { createHmac, type KeyObject, randomBytes } from 'node:crypto';

/** Base32 in lower case (RFC 4648): 5 bits a character. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** @param length characters */
export const generateRecoveryCode = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** What users type: white space and hyphens do not count, nor does case. */
export const readRecoveryCode = (text: string): string => text.replace(/[\s-]+/g, '').toLowerCase();

/**
 * Codes have 65 random bits or more, so no slow hash is needed.
 * @returns base64url
 */
export const hashRecoveryCode = (key: KeyObject, userId: string, code: string): string =>
  createHmac('sha256', key).update(`${userId}\0${code}`).digest('base64url');
