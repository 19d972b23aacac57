/** Times of SAML messages (SAML Core 1.3.3). */
import type { ExpectedResponse } from '../saml-wire.js';
import { SamlError, type XmlElement } from './xml.js';

/** The database has none after it, as ISO 8601 writes them. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * @returns milliseconds since the epoch; null: the attribute is absent
 * @throws SamlError malformed
 */
export function readInstant(element: XmlElement, name: string): number | null {
  if (!element.hasAttribute(name)) return null;
  const text = element.getAttribute(name) ?? '';
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || at > LAST_MS) throw new SamlError('malformed', `${name} is no time`);
  return at;
}

type Clock = Pick<ExpectedResponse, 'nowMs' | 'clockSkewSeconds' | 'maxIssueDelaySeconds'>;

/** @throws SamlError expired */
export function assertNotOlder(issuedAt: number, clock: Clock): void {
  const { nowMs, clockSkewSeconds, maxIssueDelaySeconds } = clock;
  const isEarly = issuedAt > nowMs + clockSkewSeconds * 1000;
  if (isEarly) throw new SamlError('expired', 'it was issued in the future', sayTime('IssueInstant', issuedAt));
  const isLate = nowMs > issuedAt + maxIssueDelaySeconds * 1000;
  if (isLate) throw new SamlError('expired', 'it was issued too long ago', sayTime('IssueInstant', issuedAt));
}

/**
 * NotBefore and NotOnOrAfter, with a leeway for clocks that differ.
 * @returns NotOnOrAfter; null: it is absent
 * @throws SamlError expired
 */
export function assertWithin(element: XmlElement, { nowMs, clockSkewSeconds }: Clock): number | null {
  const begin = readInstant(element, 'NotBefore');
  const end = readInstant(element, 'NotOnOrAfter');
  if (begin !== null && nowMs < begin - clockSkewSeconds * 1000) {
    throw new SamlError('expired', 'it is not yet valid', sayTime('NotBefore', begin));
  }
  if (end !== null && nowMs >= end + clockSkewSeconds * 1000) {
    throw new SamlError('expired', 'it is no longer valid', sayTime('NotOnOrAfter', end));
  }
  return end;
}

const sayTime = (name: string, at: number): string => `${name} ${new Date(at).toISOString()}`;
