/** Encrypts assertions (https://www.w3.org/TR/xmlenc-core1/) in every way that identity providers know. */
import { constants, createCipheriv, createHash, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto';

const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const XMLENC11 = 'http://www.w3.org/2009/xmlenc11#';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';

/** What a message says; the hash is what it does. */
export interface XmlEncryption {
  readonly content?: 'aes128-cbc' | 'aes256-cbc' | 'aes128-gcm' | 'aes256-gcm';
  /** URI of the encryption of the key, which is RSA-OAEP whatever it says. */
  readonly transport?: string;
  /** URIs. */
  readonly digest?: string;
  readonly mask?: string;
  readonly oaepHash?: string;
  /** Of the mask; default: the same. */
  readonly maskHash?: string;
  /** Puts the key behind the data, not into it. */
  readonly isKeyBeside?: boolean;
}

/** @param certificate for whose key: base64 of DER */
export function encryptAssertion(xml: string, certificate: string, encryption: XmlEncryption = {}): string {
  const { content = 'aes256-gcm', transport = `${XMLENC}rsa-oaep-mgf1p`, isKeyBeside = false } = encryption;
  const key = randomBytes(content.startsWith('aes128') ? 16 : 32);
  const namespace = content.endsWith('gcm') ? XMLENC11 : XMLENC;
  const sealedKey = element('EncryptedKey', [
    sealMethod(transport, encryption),
    cipherData(sealKey(key, certificate, encryption)),
  ]);
  const data = [
    `<xenc:EncryptionMethod Algorithm="${namespace}${content}"></xenc:EncryptionMethod>`,
    isKeyBeside ? '' : `<ds:KeyInfo xmlns:ds="${DSIG}">${sealedKey}</ds:KeyInfo>`,
    cipherData(sealContent(xml, key, content)),
  ];
  return [
    `<saml:EncryptedAssertion xmlns:saml="${ASSERTION}">`,
    element('EncryptedData', data, ` xmlns:xenc="${XMLENC}" Type="${XMLENC}Element"`),
    isKeyBeside ? sealedKey.replace('>', ` xmlns:xenc="${XMLENC}">`) : '',
    '</saml:EncryptedAssertion>',
  ].join('');
}

const element = (name: string, contents: readonly string[], attributes = ''): string =>
  `<xenc:${name}${attributes}>${contents.join('')}</xenc:${name}>`;

const cipherData = (bytes: Buffer): string =>
  `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`;

function sealMethod(transport: string, { digest, mask }: XmlEncryption): string {
  const contents = [
    digest === undefined ? '' : `<ds:DigestMethod xmlns:ds="${DSIG}" Algorithm="${digest}"></ds:DigestMethod>`,
    mask === undefined ? '' : `<xenc11:MGF xmlns:xenc11="${XMLENC11}" Algorithm="${mask}"></xenc11:MGF>`,
  ];
  return element('EncryptionMethod', contents, ` Algorithm="${transport}"`);
}

function sealKey(key: Buffer, certificate: string, { oaepHash = 'sha1', maskHash = oaepHash }: XmlEncryption): Buffer {
  const to = createPublicKey(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`);
  if (maskHash === oaepHash)
    return publicEncrypt({ key: to, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key);
  // RFC 8017, 7.1.1
  const label = createHash(oaepHash).digest();
  const size = 256 - 1 - label.length;
  const block = Buffer.concat([label, Buffer.alloc(size - label.length - 1 - key.length), Buffer.from([1]), key]);
  const seed = randomBytes(label.length);
  const masked = xor(block, mgf1(maskHash, seed, size));
  const encoded = Buffer.concat([Buffer.alloc(1), xor(seed, mgf1(maskHash, masked, seed.length)), masked]);
  return publicEncrypt({ key: to, padding: constants.RSA_NO_PADDING }, encoded);
}

function mgf1(hash: string, seed: Buffer, size: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(size / 20) }, (_, n) =>
    createHash(hash)
      .update(seed)
      .update(Buffer.from([0, 0, 0, n]))
      .digest(),
  );
  return Buffer.concat(blocks).subarray(0, size);
}

const xor = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, at) => byte ^ other[at]!));

function sealContent(xml: string, key: Buffer, content: string): Buffer {
  const bits = key.length * 8;
  if (content.endsWith('gcm')) {
    const iv = randomBytes(12);
    const cipher = createCipheriv(`aes-${bits}-gcm` as 'aes-256-gcm', key, iv);
    return Buffer.concat([iv, cipher.update(xml), cipher.final(), cipher.getAuthTag()]);
  }
  const iv = randomBytes(16);
  const cipher = createCipheriv(`aes-${bits}-cbc`, key, iv).setAutoPadding(false);
  // Any bytes but for the last one, which is their number (5.2.4).
  const added = 16 - (Buffer.byteLength(xml) % 16);
  const padding = Buffer.concat([randomBytes(added - 1), Buffer.from([added])]);
  return Buffer.concat([iv, cipher.update(xml), cipher.update(padding), cipher.final()]);
}
