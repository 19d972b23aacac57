/** Redirect URIs of clients: which may be registered, and which registered one a request means. */
import { isLoopback } from '../outbound/loopback.js';

const REFUSED_SCHEMES = new Set(['javascript:', 'data:', 'file:', 'vbscript:', 'about:', 'blob:']);
const MAX_LENGTH = 2048;
/** An app owns the domain that its scheme spells backwards; a name without a period may be of anybody (RFC 8252 7.1, 8.4). */
const WITHOUT_HOST =
  'must have a scheme and a host, or a scheme that is a domain name, such as com.example.app:/callback';

/**
 * Checks a redirect URI for registration (RFC 6749 3.1.2, RFC 8252 7).
 * @returns what is wrong with it, as the end of a sentence; null: nothing
 */
export function findRedirectUriFault(text: string): string | null {
  if (text.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(text)) return 'has characters that a URI cannot have';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'is no absolute URI';
  }
  if (text.includes('#')) return 'must not have a fragment';
  if (REFUSED_SCHEMES.has(url.protocol)) return `must not use the scheme ${url.protocol}`;
  if (url.host === '' && !/^[a-z][\w+-]*(?:\.[\w+-]+)+:[^?]/i.test(text)) return WITHOUT_HOST;
  if (/^https?:(?!\/\/[^/])/i.test(text)) return WITHOUT_HOST;
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'must use https, except for a loopback address';
  return null;
}

/**
 * Whether a request may use the redirect URI. It must equal a registered one; of an http loopback address the port may
 * differ (RFC 8252 7.3).
 */
export function isRegisteredRedirectUri(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const asked = withoutLoopbackPort(uri);
  return asked !== null && registered.some((one) => withoutLoopbackPort(one) === asked);
}

/** Native apps listen on any free port. @returns null when it is no http loopback address */
function withoutLoopbackPort(uri: string): string | null {
  const parts = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?([/?][\x21-\x22\x24-\x7e]*)?$/.exec(uri);
  return parts === null || !URL.canParse(uri) ? null : `http://${parts[1]}${parts[2] ?? ''}`;
}
