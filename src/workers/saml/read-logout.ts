/** Reads the messages of single log-out (SAML Core 3.7): requests of an identity provider, and its answers to ours. */
import { verify } from 'node:crypto';
import type {
  RefusedSaml,
  SamlLogout,
  SamlLogoutAnswer,
  SamlLogoutJob,
  SamlLogoutRequest,
  SamlQuerySignature,
} from '../saml-wire.js';
import { decryptElement } from './decrypt.js';
import { assertStatus, decodeMessage, readIssuer, refusing } from './saml-message.js';
import { ASSERTION, assertSignatures, PROTOCOL, signatureHash } from './signatures.js';
import { assertNotOlder, assertWithin, readInstant } from './times.js';
import { keyOfCertificate, verifySigned } from './verify-signed.js';
import { childrenOf, SamlError, textOf, type Xml, type XmlElement } from './xml.js';

/** Of one person; a provider that means all of them names none. */
const MAX_SESSION_INDEXES = 100;

/** Verifies what SAML Profiles 4.4.4 asks for: it must be signed, for us, and new. */
export function verifyLogout(xml: Xml, job: SamlLogoutJob): SamlLogout | RefusedSaml {
  return refusing(() => {
    const text = decodeMessage(job.message);
    const root = readSigned(xml, text, job);
    const isRequest = root.localName === 'LogoutRequest';
    if (root.namespaceURI !== PROTOCOL || root.getAttribute('Version') !== '2.0') throw notLogout();
    if (!isRequest && root.localName !== 'LogoutResponse') throw notLogout();
    const issuedAt = assertEnvelope(root, job);
    return isRequest ? readRequest(xml, root, issuedAt, job) : readAnswer(root);
  });
}

const notLogout = () => new SamlError('malformed', 'it is no message of log-out of SAML 2.0');

/** @returns the message, of which every byte is signed. @throws SamlError signature, algorithm, malformed */
function readSigned(xml: Xml, text: string, { signature, certificates, expected }: SamlLogoutJob): XmlElement {
  const root = xml.parse(text);
  if (signature !== null) {
    assertQuerySignature(signature, certificates, expected.allowsSha1);
    return root;
  }
  const signed = assertSignatures(root, [root], expected.allowsSha1);
  if (signed.length === 0) throw new SamlError('signature', 'nothing is signed');
  return verifySigned(xml, root, certificates, expected.allowsSha1);
}

function assertQuerySignature(
  { signed, algorithm, value }: SamlQuerySignature,
  certificates: readonly string[],
  allowsSha1: boolean,
): void {
  const hash = signatureHash(algorithm, allowsSha1);
  const bytes = Buffer.from(value, 'base64');
  const isGood = certificates.some((der) => verify(hash, Buffer.from(signed), keyOfCertificate(der), bytes));
  if (!isGood) throw new SamlError('signature', 'no known key has made the signature');
}

/** @returns when it was issued. @throws SamlError destination, issuer, expired */
function assertEnvelope(root: XmlElement, { expected }: SamlLogoutJob): number {
  if (root.getAttribute('Destination') !== expected.sloUrl) {
    throw new SamlError('destination', 'it is for another address');
  }
  if (readIssuer(root) !== expected.issuer) throw new SamlError('issuer', 'it is from another issuer');
  const issuedAt = readInstant(root, 'IssueInstant');
  if (issuedAt === null) throw new SamlError('expired', 'it does not say when it was issued');
  assertNotOlder(issuedAt, expected);
  return issuedAt;
}

function readRequest(xml: Xml, root: XmlElement, issuedAt: number, job: SamlLogoutJob): SamlLogoutRequest {
  const { expected } = job;
  const id = root.getAttribute('ID') ?? '';
  if (id === '') throw new SamlError('malformed', 'it has no ID');
  assertWithin(root, expected);
  const sessionIndexes = childrenOf(root, PROTOCOL, 'SessionIndex').map(textOf);
  if (sessionIndexes.length > MAX_SESSION_INDEXES) throw new SamlError('malformed', 'it names too many sessions');
  return {
    kind: 'request',
    id,
    endsAtMs: issuedAt + (expected.maxIssueDelaySeconds + expected.clockSkewSeconds) * 1000,
    nameId: readName(xml, root, job),
    sessionIndexes,
  };
}

/** @throws SamlError subject, encryption */
function readName(xml: Xml, root: XmlElement, { decryptionKeys }: SamlLogoutJob): string {
  const plain = childrenOf(root, ASSERTION, 'NameID');
  const hidden = childrenOf(root, ASSERTION, 'EncryptedID');
  if (plain.length + hidden.length !== 1) throw new SamlError('subject', 'it does not name one person');
  const name = plain[0] ?? xml.parse(decryptElement(hidden[0]!, decryptionKeys));
  const value = name.localName === 'NameID' && name.namespaceURI === ASSERTION ? textOf(name) : '';
  if (value === '') throw new SamlError('subject', 'it has no name of the person');
  return value;
}

function readAnswer(root: XmlElement): SamlLogoutAnswer {
  let isSuccess = true;
  try {
    assertStatus(root);
  } catch {
    isSuccess = false;
  }
  return { kind: 'answer', requestId: root.getAttribute('InResponseTo') ?? '', isSuccess };
}
