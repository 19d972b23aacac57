import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * The key of SAML_PRIVATE_KEY and SAML_PRIVATE_KEY_NEXT.
 * @param text base64 of PKCS #1 DER
 * @throws Error when it is none
 */
export function readSamlKey(text: string): KeyObject {
  const bytes = Buffer.from(text.trim(), 'base64');
  const key = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs1' });
  // OpenSSL also reads other forms, whatever type is asked for.
  if (!key.export({ format: 'der', type: 'pkcs1' }).equals(bytes)) throw new Error('The key is not in PKCS #1 DER.');
  return key;
}
