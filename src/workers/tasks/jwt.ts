import { hmacSha256 } from '../../hmac-sha256.js';

/** Claims are encoded in one place as long as they fit: a buffer for each takes 0.3 µs more, of 2.6. */
const WORKSPACE_BYTES = 16_384;
const MOST_BYTES_A_CHARACTER = 3;

/**
 * Makes a signer of access tokens: compact JWS with HS256 (RFC 7515, 3.1; RFC 7518, 3.2).
 * @param keyId `kid` header, empty for none
 * @returns a function from the payload's JSON text to the token
 */
export function makeJwtSigner(secret: string, keyId: string): (payload: string) => string {
  const mac = hmacSha256(Buffer.from(secret));
  const header = { alg: 'HS256', typ: 'JWT', ...(keyId === '' ? {} : { kid: keyId }) };
  const prefix = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`;
  const workspace = Buffer.alloc(WORKSPACE_BYTES);
  const encode = (payload: string): string => {
    if (payload.length * MOST_BYTES_A_CHARACTER > WORKSPACE_BYTES) return Buffer.from(payload).toString('base64url');
    return workspace.toString('base64url', 0, workspace.write(payload));
  };
  return (payload) => {
    const signed = prefix + encode(payload);
    return `${signed}.${mac(signed, 'base64url')}`;
  };
}
