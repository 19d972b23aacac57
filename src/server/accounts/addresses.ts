import { domainToASCII } from 'node:url';
import { apiError } from '../errors.js';

/** docs/decisions.md, Email addresses */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const MAX_EMAIL_BYTES = 255;
/** What may be converted: the conversion would also decode percent signs. */
const UNICODE_DOMAIN = /^[a-zA-Z0-9.\u0080-\uffff-]*[\u0080-\uffff][a-zA-Z0-9.\u0080-\uffff-]*$/;

/**
 * @returns the address in its one spelling, as stored and compared
 * @throws ApiError emailRequired, emailTooLong, emailInvalid
 */
export function normaliseEmail(email: string): string {
  const spelled = spellEmail(email);
  if (spelled === '') throw apiError('emailRequired');
  // Length first, which bounds the time of the pattern (SEC-32).
  if (Buffer.byteLength(spelled) > MAX_EMAIL_BYTES) throw apiError('emailTooLong');
  if (!EMAIL.test(spelled)) throw apiError('emailInvalid');
  return spelled;
}

/**
 * The one spelling of an address, for look-ups, without validation: no blanks around it, ASCII letters in lower case, and
 * a domain with other letters in ASCII by UTS 46 (docs/decisions.md, Email addresses).
 */
export function spellEmail(text: string): string {
  const address = text.trim();
  const domain = domainOf(address);
  // Without a domain there is nothing to convert, and too long a one is refused.
  if (domain === address || domain === '' || address.length > MAX_EMAIL_BYTES) return lowerAscii(address);
  return lowerAscii(address.slice(0, -domain.length)) + toAsciiDomain(domain);
}

/** @returns what is after the last @, as spelled; of a text without one all of it */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** The one spelling of a domain, as addresses have it, for look-ups and without validation; the dot of the root is left out. */
export const spellDomain = (text: string): string => toAsciiDomain(text.trim()).replace(/\.$/, '');

/** What cannot be converted stays as it is, so that it is found nowhere. */
function toAsciiDomain(domain: string): string {
  const isOther = domain.length <= MAX_EMAIL_BYTES && UNICODE_DOMAIN.test(domain);
  const ascii = isOther ? domainToASCII(domain) : '';
  return lowerAscii(ascii === '' ? domain : ascii);
}

/** ASCII only: toLowerCase() maps the Kelvin sign to k, which is another address (SEC-28). */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * E.164 of 7 to 15 digits (SEC-29), with or without a leading plus, with spaces anywhere and blanks around it.
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
  return phone.trim().replace(/^\+/, '').replaceAll(' ', '');
}
