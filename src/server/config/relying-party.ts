/** What the settings of the relying party may say. */
import { isLoopback } from '../outbound/loopback.js';

/** Names of signature algorithms → their COSE numbers (RFC 9053, RFC 8812). */
export const coseAlgorithms: Readonly<Record<string, number>> = {
  ES256: -7,
  ES384: -35,
  ES512: -36,
  RS256: -257,
  RS384: -258,
  RS512: -259,
  PS256: -37,
  PS384: -38,
  PS512: -39,
  EdDSA: -8,
};

const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** An app has an origin of its own kind: android:apk-key-hash:… */
const APP_ORIGIN = /^[a-z][a-z0-9+.-]*:\S+$/;

/** A domain in lower case: no address, no top-level domain. */
export const isRpId = (text: string): boolean =>
  text === 'localhost' || (DOMAIN.test(text) && text.includes('.') && !/\.\d+$/.test(text));

/**
 * Reads a row of WEBAUTHN_RP_ORIGINS.
 * @returns the origin as clients write it; null when it is none
 */
export function readOrigin(text: string): string | null {
  if (!/^https?:/i.test(text)) return APP_ORIGIN.test(text) ? text : null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  const isSecure = url.protocol === 'https:' || isLoopback(url.hostname) || url.hostname.endsWith('.localhost');
  return isBare && isSecure ? url.origin : null;
}
