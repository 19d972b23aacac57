/** Reads a SAML response: what it says counts only as far as the identity provider has signed it. */
import type { RefusedSaml, SamlAssertion, SamlResponseJob } from '../saml-wire.js';
import { readSignedAssertion } from './assertion.js';
import { openSealed, readEncryption } from './decrypt.js';
import { type Judge, strictJudge } from './judge.js';
import { assertStatus, decodeMessage, readIssuer, refusing } from './saml-message.js';
import { ASSERTION, assertSignatures, PROTOCOL } from './signatures.js';
import { assertNotOlder, readInstant } from './times.js';
import { verifySigned } from './verify-signed.js';
import { childrenOf, everyElement, SamlError, type Xml, type XmlElement } from './xml.js';

interface Reading {
  readonly xml: Xml;
  readonly job: SamlResponseJob;
  readonly judge: Judge;
}

/** Verifies everything that SAML Profiles 4.1.4.3 asks for. */
export function verifyResponse(xml: Xml, job: SamlResponseJob): SamlAssertion | RefusedSaml {
  return refusing(() => {
    const text = decodeMessage({ text: job.response, isDeflated: false });
    return readResponse({ xml, job, judge: strictJudge }, xml.parse(text));
  });
}

/** @throws SamlError */
export function readResponse(reading: Reading, root: XmlElement): SamlAssertion {
  const { judge, job } = reading;
  assertIsResponse(root);
  const plain = childrenOf(root, ASSERTION, 'Assertion');
  const encrypted = childrenOf(root, ASSERTION, 'EncryptedAssertion');
  judge.check('status', undefined, () => assertStatus(root));
  assertAlone(root, [...plain, ...encrypted]);
  const signed = judge.check('signature', [], () => assertSignatures(root, [root, ...plain], job.expected.allowsSha1));
  const verified = signed.includes(root) ? judge.check('signature', null, () => verify(reading, root)) : null;
  const response = verified ?? root;
  assertResponse(response, verified !== null, reading);
  const [own] = plain;
  if (own === undefined) {
    const hidden = childrenOf(response, ASSERTION, 'EncryptedAssertion')[0]!;
    return readHiddenAssertion(reading, hidden, verified !== null);
  }
  const isSigned = signed.includes(own);
  const covered = childrenOf(response, ASSERTION, 'Assertion')[0]!;
  return readPlainAssertion(reading, isSigned ? own : covered, isSigned, verified !== null);
}

/** One that came without a response. @throws SamlError */
export function readBareAssertion(reading: Reading, root: XmlElement): SamlAssertion {
  const { judge, job } = reading;
  assertAlone(root, [root]);
  const signed = judge.check('signature', [], () => assertSignatures(root, [root], job.expected.allowsSha1));
  return readPlainAssertion(reading, root, signed.includes(root), false);
}

/** @param isSigned on its own. @param isCovered by the signature of the response, which holds */
function readPlainAssertion(reading: Reading, own: XmlElement, isSigned: boolean, isCovered: boolean): SamlAssertion {
  const { judge, job } = reading;
  const assertion = judge.check('signature', own, () => {
    if (isSigned) return verify(reading, own);
    if (!isCovered) throw new SamlError('signature', 'nothing is signed');
    return own;
  });
  return readSignedAssertion(assertion, job.expected, judge);
}

/** @param isCovered by the signature of the response, which holds. @throws SamlError */
export function readHiddenAssertion(reading: Reading, hidden: XmlElement, isCovered: boolean): SamlAssertion {
  const { judge, job, xml } = reading;
  const sealed = readEncryption(hidden);
  const assertion = judge.open(() => {
    const opened = parseHidden(xml, openSealed(sealed, job.decryptionKeys));
    const isSigned = assertSignatures(opened, [opened], job.expected.allowsSha1).length === 1;
    if (!isSigned && !isCovered) throw new SamlError('signature', 'nothing is signed');
    return isSigned ? verify(reading, opened) : opened;
  });
  judge.check('encryption', undefined, () => undefined);
  return readSignedAssertion(assertion, job.expected, judge);
}

/** @returns the element as it was signed. @throws SamlError signature, malformed */
const verify = ({ xml, job }: Reading, owner: XmlElement): XmlElement =>
  verifySigned(xml, owner, job.certificates, job.expected.allowsSha1);

function parseHidden(xml: Xml, text: string): XmlElement {
  const root = xml.parse(text);
  if (root.localName !== 'Assertion' || root.namespaceURI !== ASSERTION) {
    throw new SamlError('encryption', 'what is encrypted is no assertion');
  }
  assertAlone(root, [root]);
  return root;
}

function assertIsResponse(root: XmlElement): void {
  if (root.localName !== 'Response' || root.namespaceURI !== PROTOCOL || root.getAttribute('Version') !== '2.0') {
    throw new SamlError('malformed', 'it is no response of SAML 2.0');
  }
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
function assertResponse(response: XmlElement, isSigned: boolean, { job: { expected }, judge }: Reading): void {
  judge.check('destination', undefined, () => {
    const destination = response.getAttribute('Destination') ?? '';
    if (destination === '' ? isSigned : destination !== expected.acsUrl) {
      throw new SamlError('destination', 'it is for another address', destination);
    }
  });
  judge.check('issuer', undefined, () => {
    const issuer = readIssuer(response);
    if (issuer === '' ? isSigned : issuer !== expected.issuer) {
      throw new SamlError('issuer', 'it is from another issuer', issuer);
    }
  });
  judge.check('response_to', undefined, () => {
    const requestId = response.getAttribute('InResponseTo') || null;
    if (requestId !== expected.requestId) {
      throw new SamlError('response_to', 'it answers another request, or none', requestId ?? '');
    }
  });
  judge.check('expired', undefined, () => {
    const issuedAt = readInstant(response, 'IssueInstant');
    if (issuedAt === null) throw new SamlError('expired', 'it does not say when it was issued');
    assertNotOlder(issuedAt, expected);
  });
}
