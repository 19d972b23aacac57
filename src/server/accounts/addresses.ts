import { refuse } from '../errors.js';

/** reference/core.md 12.1, without quotes and commas anyway; no dot is needed in the domain (decisions.md 14). */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const MAX_EMAIL_BYTES = 255;

/**
 * @returns the address in the form it is stored and compared: lower case
 * @throws Refusal emailRequired, emailTooLong, emailInvalid
 */
export function normaliseEmail(email: string): string {
  if (email === '') throw refuse('emailRequired');
  // Length first: the pattern then never sees more than 255 characters (SEC-32).
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) throw refuse('emailTooLong');
  if (!EMAIL.test(email)) throw refuse('emailInvalid');
  return lowerAscii(email);
}

/** ASCII only: JavaScript would also turn the Kelvin sign into a k, and one account into another (SEC-28). */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * E.164 of 7 to 15 digits (SEC-29), with or without a leading plus and with spaces anywhere.
 * @returns digits only, as stored and returned
 * @throws Refusal phoneInvalid
 */
export function normalisePhone(phone: string): string {
  const digits = stripPhone(phone);
  if (!/^[1-9][0-9]{6,14}$/.test(digits)) throw refuse('phoneInvalid');
  return digits;
}

/** What the password grant does to a number before it looks it up; it validates nothing (reference/core.md 12.2). */
export function stripPhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '');
}
