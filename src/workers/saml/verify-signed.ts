/**
 * Verifies a signature whose shape signatures.ts has accepted (https://www.w3.org/TR/xmldsig-core1/#sec-CoreValidation). The
 * libraries do it, too, but look for each part with XPath, which takes three quarters of the time of a message
 * (docs/decisions.md, Sign-in at companies).
 */
import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { digestHash, readSignedInfo, signatureHash, signatureOf, XMLDSIG } from './signatures.js';
import { childrenOf, SamlError, textOf, type Xml, type XmlElement } from './xml.js';

/** Of all companies of a large installation; then all are read again. */
const MAX_KEYS = 2_000;
const keys = new Map<string, KeyObject>();

/** @param der base64. @returns its key, which is read once: that takes longer than a signature */
export function keyOfCertificate(der: string): KeyObject {
  const known = keys.get(der);
  if (known !== undefined) return known;
  const { publicKey } = new X509Certificate(Buffer.from(der, 'base64'));
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(der, publicKey);
  return publicKey;
}

/**
 * @param owner of one signature
 * @param certificates base64 of DER
 * @returns the owner, read from the very bytes that were signed, without the signature
 * @throws SamlError signature: none of the certificates verifies it, or what was signed was changed
 */
export function verifySigned(
  xml: Xml,
  owner: XmlElement,
  certificates: readonly string[],
  allowsSha1: boolean,
): XmlElement {
  const signature = signatureOf(owner);
  const [rawInfo] = childrenOf(signature, XMLDSIG, 'SignedInfo');
  const signedInfo = xml.canonicalise(rawInfo!, { prefixes: [] });
  // Only what was signed says what the digest is of (CVE-2025-29774).
  const info = readSignedInfo(xml.parse(signedInfo), owner, allowsSha1);
  const hash = signatureHash(info.signatureMethod, allowsSha1);
  const value = Buffer.from(textOf(childrenOf(signature, XMLDSIG, 'SignatureValue')[0]), 'base64');
  const isKnown = certificates.some((der) => verify(hash, Buffer.from(signedInfo), keyOfCertificate(der), value));
  if (!isKnown) throw new SamlError('signature', 'no known key has made the signature');
  const content = xml.canonicalise(owner, { without: signature, prefixes: info.prefixes });
  const digest = createHash(digestHash(info.digestMethod)).update(content).digest();
  if (!digest.equals(Buffer.from(info.digestValue, 'base64'))) {
    throw new SamlError('signature', 'what was signed has been changed');
  }
  return xml.parse(content);
}
