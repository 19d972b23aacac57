/** The Authorization header (RFC 6750 2.1, RFC 9449 7.1, SEC-52). */
import { MAX_AUTHORIZATION_BYTES } from '../../jws/token-limit.js';

/**
 * @param authorization the header's value
 * @returns the token; null unless the value is `Bearer` in any case, exactly one space and a token without spaces
 */
export const readBearer = (authorization: string | undefined): string | null =>
  readToken(authorization, /^bearer ([\x21-\x7e]+)$/i);

/** The same for the scheme DPoP, of tokens that are bound to a key. */
export const readDpopToken = (authorization: string | undefined): string | null =>
  readToken(authorization, /^dpop ([\x21-\x7e]+)$/i);

/** The password of the scheme Basic (RFC 7617), whatever the name. */
export function readBasicPassword(authorization: string | undefined): string | null {
  const encoded = readToken(authorization, /^basic ([A-Za-z0-9+/]+={0,2})$/i);
  if (encoded === null) return null;
  return /^[^:]*:([\x21-\x7e]+)$/.exec(Buffer.from(encoded, 'base64').toString('latin1'))?.[1] ?? null;
}

function readToken(authorization: string | undefined, form: RegExp): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return form.exec(authorization)?.[1] ?? null;
}
