/** Reads a SAML response: what it says counts only as far as the identity provider has signed it. */
import type { RefusedSaml, SamlAssertion, SamlResponseJob, UnverifiedResponse } from '../saml-wire.js';
import { readSignedAssertion } from './assertion.js';
import { ASSERTION, assertEncryption, assertSignatures, PROTOCOL } from './signatures.js';
import { assertNotOlder, readInstant } from './times.js';
import { childrenOf, everyElement, SamlError, textOf, type Xml, type XmlElement } from './xml.js';

const MAX_BYTES = 262_144;
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** @returns what it says of itself, of which nothing is verified */
export function peekResponse(xml: Xml, response: string): UnverifiedResponse | RefusedSaml {
  return refusing(() => {
    const root = parseResponse(xml, decode(response));
    const found = childrenOf(root, ASSERTION, 'Assertion')[0];
    const issuer = issuerOf(root) || (found === undefined ? '' : issuerOf(found));
    if (issuer === '') throw new SamlError('issuer', 'it names no issuer');
    return { issuer };
  });
}

/** Verifies everything that SAML Profiles 4.1.4.3 asks for. */
export async function verifyResponse(xml: Xml, job: SamlResponseJob): Promise<SamlAssertion | RefusedSaml> {
  return refusing(async () => {
    const { expected, certificates } = job;
    const text = decode(job.response);
    const root = parseResponse(xml, text);
    const plain = childrenOf(root, ASSERTION, 'Assertion');
    const encrypted = childrenOf(root, ASSERTION, 'EncryptedAssertion');
    assertStatus(root);
    assertAlone(root, [...plain, ...encrypted]);
    const signed = assertSignatures(root, [root, ...plain], expected.allowsSha1);
    const verify = (source: string, owner: XmlElement): XmlElement => {
      const verified = xml.verify(source, owner, certificates);
      if (verified === null) throw new SamlError('signature', 'no known key has made the signature');
      return xml.parse(verified);
    };
    const isSigned = signed.includes(root);
    const response = isSigned ? verify(text, root) : root;
    assertResponse(response, isSigned, job);
    const [own] = plain;
    if (own !== undefined) {
      if (signed.includes(own)) return readSignedAssertion(verify(text, own), expected);
      if (!isSigned) throw new SamlError('signature', 'nothing is signed');
      return readSignedAssertion(childrenOf(response, ASSERTION, 'Assertion')[0]!, expected);
    }
    const hidden = childrenOf(response, ASSERTION, 'EncryptedAssertion')[0]!;
    assertEncryption(hidden);
    const clear = await xml.decrypt(hidden, job.decryptionKeys);
    const opened = parseHidden(xml, clear);
    const isOpenedSigned = assertSignatures(opened, [opened], expected.allowsSha1).length === 1;
    if (!isOpenedSigned && !isSigned) throw new SamlError('signature', 'nothing is signed');
    return readSignedAssertion(isOpenedSigned ? verify(clear, opened) : opened, expected);
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

type Answer = SamlAssertion | UnverifiedResponse | RefusedSaml;

/** A message that the libraries choke on is refused like any other. */
function refusing<Found extends Answer>(read: () => Found): Found | RefusedSaml;
function refusing<Found extends Answer>(read: () => Promise<Found>): Promise<Found | RefusedSaml>;
function refusing(read: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
  const refuse = (error: unknown): RefusedSaml =>
    error instanceof SamlError
      ? { refusal: error.refusal, detail: error.message }
      : { refusal: 'malformed', detail: `it cannot be read: ${(error as Error).name}` };
  try {
    const found = read();
    return found instanceof Promise ? found.catch(refuse) : found;
  } catch (error) {
    return refuse(error);
  }
}

/** @throws SamlError unreadable */
function decode(response: string): string {
  const base64 = response.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new SamlError('unreadable', 'it is not in base64');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_BYTES) throw new SamlError('unreadable', 'it is larger than 256 KiB');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlError('unreadable', 'it is not in UTF-8');
  }
}

function parseResponse(xml: Xml, text: string): XmlElement {
  const root = xml.parse(text);
  if (root.localName !== 'Response' || root.namespaceURI !== PROTOCOL || root.getAttribute('Version') !== '2.0') {
    throw new SamlError('malformed', 'it is no response of SAML 2.0');
  }
  return root;
}

const issuerOf = (parent: XmlElement): string => textOf(childrenOf(parent, ASSERTION, 'Issuer')[0]);

function assertStatus(root: XmlElement): void {
  const [status, ...more] = childrenOf(root, PROTOCOL, 'Status');
  const codes = status === undefined ? [] : childrenOf(status, PROTOCOL, 'StatusCode');
  const code = codes[0]?.getAttribute('Value') ?? '';
  if (more.length > 0 || codes.length !== 1) throw new SamlError('status', 'it does not have one status');
  if (code === SUCCESS) return;
  const inner = childrenOf(codes[0]!, PROTOCOL, 'StatusCode')[0]?.getAttribute('Value') ?? '';
  const names = [code, inner].map((uri) => uri.replace(/^.*:/, '').replace(/\W+/g, '').slice(0, 40));
  throw new SamlError('status', `the provider answers ${names.filter((name) => name !== '').join(', ')}`);
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
  const issuer = issuerOf(response);
  if (issuer === '' ? isSigned : issuer !== expected.issuer) throw new SamlError('issuer', 'it is from another issuer');
  if ((response.getAttribute('InResponseTo') || null) !== expected.requestId) {
    throw new SamlError('response_to', 'it answers another request, or none');
  }
  const issuedAt = readInstant(response, 'IssueInstant');
  if (issuedAt === null) throw new SamlError('expired', 'it does not say when it was issued');
  assertNotOlder(issuedAt, expected);
}
