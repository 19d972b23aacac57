/** Reads a SAML response: what it says counts only as far as the identity provider has signed it. */
import type { RefusedSaml, SamlAssertion, SamlResponseJob } from '../saml-wire.js';
import { readSignedAssertion } from './assertion.js';
import { decryptElement } from './decrypt.js';
import { assertStatus, decodeMessage, readIssuer, refusing } from './saml-message.js';
import { ASSERTION, assertSignatures, PROTOCOL } from './signatures.js';
import { assertNotOlder, readInstant } from './times.js';
import { verifySigned } from './verify-signed.js';
import { childrenOf, everyElement, SamlError, type Xml, type XmlElement } from './xml.js';

/** Verifies everything that SAML Profiles 4.1.4.3 asks for. */
export function verifyResponse(xml: Xml, job: SamlResponseJob): SamlAssertion | RefusedSaml {
  return refusing(() => {
    const { expected, certificates } = job;
    const root = parseResponse(xml, decodeMessage({ text: job.response, isDeflated: false }));
    const plain = childrenOf(root, ASSERTION, 'Assertion');
    const encrypted = childrenOf(root, ASSERTION, 'EncryptedAssertion');
    assertStatus(root);
    assertAlone(root, [...plain, ...encrypted]);
    const signed = assertSignatures(root, [root, ...plain], expected.allowsSha1);
    const verify = (owner: XmlElement): XmlElement => verifySigned(xml, owner, certificates, expected.allowsSha1);
    const isSigned = signed.includes(root);
    const response = isSigned ? verify(root) : root;
    assertResponse(response, isSigned, job);
    const [own] = plain;
    if (own !== undefined) {
      if (signed.includes(own)) return readSignedAssertion(verify(own), expected);
      if (!isSigned) throw new SamlError('signature', 'nothing is signed');
      return readSignedAssertion(childrenOf(response, ASSERTION, 'Assertion')[0]!, expected);
    }
    const hidden = childrenOf(response, ASSERTION, 'EncryptedAssertion')[0]!;
    const opened = parseHidden(xml, decryptElement(hidden, job.decryptionKeys));
    const isOpenedSigned = assertSignatures(opened, [opened], expected.allowsSha1).length === 1;
    if (!isOpenedSigned && !isSigned) throw new SamlError('signature', 'nothing is signed');
    return readSignedAssertion(isOpenedSigned ? verify(opened) : opened, expected);
  });
}

function parseHidden(xml: Xml, text: string): XmlElement {
  const root = xml.parse(text);
  if (root.localName !== 'Assertion' || root.namespaceURI !== ASSERTION) {
    throw new SamlError('encryption', 'what is encrypted is no assertion');
  }
  assertAlone(root, [root]);
  return root;
}

function parseResponse(xml: Xml, text: string): XmlElement {
  const root = xml.parse(text);
  if (root.localName !== 'Response' || root.namespaceURI !== PROTOCOL || root.getAttribute('Version') !== '2.0') {
    throw new SamlError('malformed', 'it is no response of SAML 2.0');
  }
  return root;
}

/** One assertion, at its place: any other could be what is signed, and this one what is read. */
function assertAlone(root: XmlElement, assertions: readonly XmlElement[]): void {
  const names = ['Assertion', 'EncryptedAssertion', 'Response'];
  const others = everyElement(root).filter((one) => one !== root && names.includes(one.localName));
  const [first, ...more] = assertions;
  if (first === undefined || more.length > 0 || others.some((one) => one !== first)) {
    throw new SamlError('malformed', 'it does not have exactly one assertion');
  }
}

/** @throws SamlError destination, issuer, response_to, expired */
function assertResponse(response: XmlElement, isSigned: boolean, { expected }: SamlResponseJob): void {
  const destination = response.getAttribute('Destination') ?? '';
  if (destination === '' ? isSigned : destination !== expected.acsUrl) {
    throw new SamlError('destination', 'it is for another address');
  }
  const issuer = readIssuer(response);
  if (issuer === '' ? isSigned : issuer !== expected.issuer) throw new SamlError('issuer', 'it is from another issuer');
  if ((response.getAttribute('InResponseTo') || null) !== expected.requestId) {
    throw new SamlError('response_to', 'it answers another request, or none');
  }
  const issuedAt = readInstant(response, 'IssueInstant');
  if (issuedAt === null) throw new SamlError('expired', 'it does not say when it was issued');
  assertNotOlder(issuedAt, expected);
}
