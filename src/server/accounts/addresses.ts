import { apiError } from '../errors.js';

/** docs/decisions.md, Email addresses */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const MAX_EMAIL_BYTES = 255;

/**
 * @returns the address in lower case, as stored and compared
 * @throws ApiError emailRequired, emailTooLong, emailInvalid
 */
export function normaliseEmail(email: string): string {
  if (email === '') throw apiError('emailRequired');
  // Length first, which bounds the time of the pattern (SEC-32).
  if (Buffer.byteLength(email) > MAX_EMAIL_BYTES) throw apiError('emailTooLong');
  if (!EMAIL.test(email)) throw apiError('emailInvalid');
  return lowerAscii(email);
}

/** ASCII only: toLowerCase() maps the Kelvin sign to k, which is another address (SEC-28). */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * E.164 of 7 to 15 digits (SEC-29), with or without a leading plus and with spaces anywhere.
 * @returns digits only, as stored and returned
 * @throws ApiError phoneInvalid
 */
export function normalisePhone(phone: string): string {
  const digits = stripPhone(phone);
  if (!/^[1-9][0-9]{6,14}$/.test(digits)) throw apiError('phoneInvalid');
  return digits;
}

/**
 * Normalises a number for look-ups, without validation (docs/decisions.md, Phone numbers).
 */
export function stripPhone(phone: string): string {
  return phone.replace(/^\+/, '').replaceAll(' ', '');
}
