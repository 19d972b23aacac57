/** The Authorization header (RFC 6750 2.1, SEC-52). */
import { MAX_AUTHORIZATION_BYTES } from '../token-limit.js';

/**
 * @param authorization the header's value
 * @returns the token; null unless the value is `Bearer` in any case, exactly one space and a token without spaces
 */
export function readBearer(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return /^bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1] ?? null;
}
