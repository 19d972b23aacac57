import { createPrivateKey, type KeyObject } from 'node:crypto';

/**
 * The key of SAML_PRIVATE_KEY and SAML_PRIVATE_KEY_NEXT.
 * @param text base64 of PKCS #1 DER
 * @throws Error when it is none
 */
export const readSamlKey = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text.trim(), 'base64'), format: 'der', type: 'pkcs1' });
