import { createHmac, createSecretKey } from 'node:crypto';

/**
 * Makes a signer of access tokens: compact JWS with HS256 (RFC 7515, 3.1; RFC 7518, 3.2).
 * @param keyId `kid` header, empty for none
 * @returns a function from the payload's JSON text to the token
 */
export function makeJwtSigner(secret: string, keyId: string): (payload: string) => string {
  const key = createSecretKey(Buffer.from(secret));
  const header = { alg: 'HS256', typ: 'JWT', ...(keyId === '' ? {} : { kid: keyId }) };
  const prefix = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`;
  return (payload) => {
    const signed = prefix + Buffer.from(payload).toString('base64url');
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  };
}
