/**
 * Opens what an identity provider has encrypted for us (https://www.w3.org/TR/xmlenc-core1/): an assertion, or a name. Here and not
 * by a library: theirs does not know the key transport of XML Encryption 1.1, with which Keycloak begins.
 */
import { createDecipheriv } from 'node:crypto';
import { decryptOaep } from './oaep.js';
import { XMLDSIG } from './signatures.js';
import { childrenOf, everyElement, SamlError, textOf, type XmlElement } from './xml.js';

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const XMLENC11 = 'http://www.w3.org/2009/xmlenc11#';
const TAG_BYTES = 16;

const ciphers: Readonly<
  Record<string, { readonly name: string; readonly keyBytes: number; readonly ivBytes: number }>
> = {
  [`${XMLENC}aes128-cbc`]: { name: 'aes-128-cbc', keyBytes: 16, ivBytes: 16 },
  [`${XMLENC}aes256-cbc`]: { name: 'aes-256-cbc', keyBytes: 32, ivBytes: 16 },
  [`${XMLENC11}aes128-gcm`]: { name: 'aes-128-gcm', keyBytes: 16, ivBytes: 12 },
  [`${XMLENC11}aes256-gcm`]: { name: 'aes-256-gcm', keyBytes: 32, ivBytes: 12 },
};

/** PKCS #1 1.5 lets an attacker decrypt by asking (https://www.nds.rub.de/research/publications/breaking-xml-encryption-pkcs15/). */
const OAEP_SHA1 = `${XMLENC}rsa-oaep-mgf1p`;
const OAEP = `${XMLENC11}rsa-oaep`;

/** Of OAEP (5.5.2), by the URI of the digest or of the mask. */
const hashes: Readonly<Record<string, string>> = {
  [`${XMLDSIG}sha1`]: 'sha1',
  [`${XMLENC}sha256`]: 'sha256',
  [`${XMLENC}sha512`]: 'sha512',
  [`${XMLENC11}mgf1sha1`]: 'sha1',
  [`${XMLENC11}mgf1sha256`]: 'sha256',
  [`${XMLENC11}mgf1sha512`]: 'sha512',
};

/** How something is encrypted, which anyone can read. */
export interface SealedElement {
  readonly content: XmlElement;
  readonly sealedKey: XmlElement;
  readonly cipher: (typeof ciphers)[string];
  readonly digest: string;
  readonly mask: string;
}

/**
 * @param encrypted holds one EncryptedData and one EncryptedKey
 * @param keys private ones in PEM, tried in order
 * @returns the XML that was encrypted
 * @throws SamlError encryption
 */
export const decryptElement = (encrypted: XmlElement, keys: readonly string[]): string =>
  openSealed(readEncryption(encrypted), keys);

/** @throws SamlError encryption: it is none that is accepted */
export function readEncryption(encrypted: XmlElement): SealedElement {
  const content = only(encrypted, 'EncryptedData');
  const sealedKey = only(encrypted, 'EncryptedKey');
  const cipher = ciphers[algorithmOf(methodOf(content))];
  if (cipher === undefined) throw new SamlError('encryption', 'the algorithm of the encryption is not accepted');
  return { content, sealedKey, cipher, ...readOaepHashes(methodOf(sealedKey)) };
}

/** @param keys see {@link decryptElement}. @throws SamlError encryption */
export function openSealed(sealed: SealedElement, keys: readonly string[]): string {
  const { content, sealedKey, cipher, digest, mask } = sealed;
  if (keys.length === 0) throw new SamlError('encryption', 'encrypted assertions are switched off');
  const opened = openKey(keys, (key) => decryptOaep(key, cipherValueOf(sealedKey), digest, mask));
  try {
    if (opened?.length === cipher.keyBytes) return openContent(cipherValueOf(content), opened, cipher);
  } catch {
    // With CBC that answers a question about the contents: it takes no other time and has no other words.
  }
  throw new SamlError('encryption', 'none of our keys decrypts it');
}

/** @returns what the first key opens that can; null: it was encrypted for none of them */
function openKey(keys: readonly string[], open: (key: string) => Buffer): Buffer | null {
  for (const key of keys) {
    try {
      return open(key);
    } catch {
      // Of another key, or not ours.
    }
  }
  return null;
}

/** Where they are not named, they are SHA-1; the mask of the first RSA-OAEP always is. */
function readOaepHashes(method: XmlElement): { readonly digest: string; readonly mask: string } {
  const algorithm = algorithmOf(method);
  if (algorithm !== OAEP_SHA1 && algorithm !== OAEP) {
    throw new SamlError('encryption', 'the key is not encrypted with RSA-OAEP');
  }
  const hashOf = (namespace: string, name: string): string => {
    const [found] = childrenOf(method, namespace, name);
    const hash = found === undefined ? 'sha1' : hashes[algorithmOf(found)];
    if (hash === undefined) throw new SamlError('encryption', `RSA-OAEP has an unknown ${name}`);
    return hash;
  };
  return { digest: hashOf(XMLDSIG, 'DigestMethod'), mask: algorithm === OAEP ? hashOf(XMLENC11, 'MGF') : 'sha1' };
}

function openContent(bytes: Buffer, key: Buffer, { name, ivBytes }: (typeof ciphers)[string]): string {
  const iv = bytes.subarray(0, ivBytes);
  if (name.endsWith('gcm')) {
    const decipher = createDecipheriv(name as 'aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return readUtf8(Buffer.concat([decipher.update(bytes.subarray(ivBytes, -TAG_BYTES)), decipher.final()]));
  }
  // Its padding is of any bytes, but for the last one (5.2.4), so that it is none that Node would take off.
  const decipher = createDecipheriv(name, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(ivBytes)), decipher.final()]);
  const added = padded.at(-1) ?? 0;
  if (added < 1 || added > ivBytes) throw new Error('no padding');
  return readUtf8(padded.subarray(0, -added));
}

const readUtf8 = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

function only(encrypted: XmlElement, name: string): XmlElement {
  const [first, ...more] = everyElement(encrypted).filter(
    ({ localName, namespaceURI }) => localName === name && namespaceURI === XMLENC,
  );
  if (first === undefined || more.length > 0) throw new SamlError('encryption', `it does not have one ${name}`);
  return first;
}

function methodOf(parent: XmlElement): XmlElement {
  const [method, ...more] = childrenOf(parent, XMLENC, 'EncryptionMethod');
  if (method === undefined || more.length > 0)
    throw new SamlError('encryption', 'it does not have one EncryptionMethod');
  return method;
}

const algorithmOf = (element: XmlElement): string => element.getAttribute('Algorithm') ?? '';

function cipherValueOf(parent: XmlElement): Buffer {
  const [data] = childrenOf(parent, XMLENC, 'CipherData');
  const [value] = data === undefined ? [] : childrenOf(data, XMLENC, 'CipherValue');
  return Buffer.from(textOf(value), 'base64');
}
