import { decodeJwt, decodeProtectedHeader } from 'jose';
import { isSame } from './id-token.js';

/** Claims that bind a token to this sign-in or to a session of the provider: whether they fit is said, not what they are. */
const BINDINGS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti'];

/**
 * What an operator sees of an ID token, whether it is accepted or not: header, claims, and times by this server's clock.
 * @param nonce that was sent
 */
export function describeToken(idToken: string, nonce: string): Readonly<Record<string, unknown>> {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(idToken);
    const claims = decodeJwt(idToken);
    const { iat, exp, nonce: given } = claims;
    const now = Date.now() / 1000;
    const shown = Object.entries(claims).filter(([name]) => !BINDINGS.includes(name));
    return {
      algorithm: alg ?? null,
      key_id: kid ?? null,
      type: typ ?? null,
      claims: Object.fromEntries(shown),
      nonce: typeof given !== 'string' ? 'missing' : isSame(given, nonce) ? 'ours' : 'another',
      has_at_hash: claims['at_hash'] !== undefined,
      issued_seconds_ago: typeof iat === 'number' ? Math.round(now - iat) : null,
      valid_for_seconds: typeof exp === 'number' ? Math.round(exp - now) : null,
    };
  } catch {
    return { claims: null };
  }
}
