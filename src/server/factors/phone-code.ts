/** Codes of phone factors, and their hash. */
import { createHmac, type KeyObject, randomInt } from 'node:crypto';

/** @param length digits */
export const generatePhoneCode = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0');

/**
 * A code is one of a million: without the key, which is not in the database, a slow hash would not protect it either.
 * @returns base64url
 */
export const hashPhoneCode = (key: KeyObject, challengeId: string, code: string): string =>
  createHmac('sha256', key).update(`${challengeId}\0${code}`).digest('base64url');
