/** The built-in list of common passwords: sorted 8-byte prefixes of the SHA-1 of each, in lower case. */
import { createHash } from 'node:crypto';

export const KEPT_BYTES = 8;

export interface CommonList {
  /** In any case. */
  has(password: string): boolean;
}

/** @returns the prefix that stands for a password in the list */
export const commonKey = (password: string): Buffer =>
  createHash('sha1').update(password.toLowerCase()).digest().subarray(0, KEPT_BYTES);

/** @param text the prefixes in base64 */
export function readCommonList(text: string): CommonList {
  const keys = Buffer.from(text, 'base64');
  const count = keys.length / KEPT_BYTES;
  return {
    has(password) {
      const wanted = commonKey(password);
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const at = middle * KEPT_BYTES;
        const order = keys.compare(wanted, 0, KEPT_BYTES, at, at + KEPT_BYTES);
        if (order === 0) return true;
        if (order < 0) low = middle + 1;
        else high = middle;
      }
      return false;
    },
  };
}
