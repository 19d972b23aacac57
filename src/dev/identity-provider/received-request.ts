/** Reads requests for sign-in. Only those of this server are answered, so their signature is all that has to be verified. */
import { createPublicKey, verify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { readQuerySignature } from '../../server/saml/redirect-binding.js';

export interface ReceivedRequest {
  readonly xml: string;
  readonly relayState: string;
  /** This server has signed it; the rest is read only then. */
  readonly isGenuine: boolean;
  readonly id: string;
  readonly nameIdFormat: string | null;
}

const MAX_BYTES = 65_536;
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** @param rawQuery as it was sent. @param keyPem of the server */
export function readAuthnRequest(rawQuery: string, keyPem: string): ReceivedRequest {
  const query = new URLSearchParams(rawQuery);
  const [message = '', ...others] = query.getAll('SAMLRequest');
  const xml = inflateMessage(message);
  const isAlone = others.length === 0;
  const isGenuine = isAlone && xml.includes('<samlp:AuthnRequest ') && isSigned(rawQuery, keyPem);
  const attribute = (name: string): string | null => (isGenuine && findAttribute(xml, name)) || null;
  return {
    ...{ xml, isGenuine, relayState: query.get('RelayState') ?? '' },
    id: attribute('ID') ?? '',
    nameIdFormat: attribute('Format'),
  };
}

/** @param message of a query. @returns '' for one that cannot be read */
export function inflateMessage(message: string): string {
  try {
    return inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    return '';
  }
}

function isSigned(rawQuery: string, keyPem: string): boolean {
  const signature = readQuerySignature(rawQuery, 'SAMLRequest');
  if (signature?.algorithm !== RSA_SHA256) return false;
  const bytes = Buffer.from(signature.value, 'base64');
  return verify('sha256', Buffer.from(signature.signed), createPublicKey(keyPem), bytes);
}

/** Of a text that this server has written: without comments, entities in these two, or other surprises. */
const findAttribute = (xml: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1];
