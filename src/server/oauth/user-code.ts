/** Codes that a person types for a device (RFC 8628 6.1): eight letters without vowels, so that they spell nothing. */
import { randomInt } from 'node:crypto';

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** 34 bits: few tries are allowed, and codes live for minutes. @returns without the dash */
export const makeUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** As people read it: WDJB-MJHT. */
export const formatUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;

/** In any case, and with whatever stands between the letters. @returns null when it cannot be a code */
export function readUserCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null;
}
