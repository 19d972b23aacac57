/**
 * Which signatures are accepted at all: one for the response or its assertion, of the shape that SAML Core 5.4 asks for.
 * verify-signed.ts then verifies it. Everything else is how forged messages differ from honest ones.
 */
import { childElements, childrenOf, everyElement, SamlError, textOf, type XmlElement } from './xml.js';

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = `${XMLDSIG}enveloped-signature`;

const SIGNATURES = [`${MORE}rsa-sha256`, `${MORE}rsa-sha512`];
const DIGESTS = [`${XMLENC}sha256`, `${XMLENC}sha512`];
const acceptedSignatures = (allowsSha1: boolean): readonly string[] =>
  allowsSha1 ? [...SIGNATURES, `${XMLDSIG}rsa-sha1`] : SIGNATURES;
/**
 * @param signed elements that may have a signature: a response and its assertion
 * @returns those that have one
 * @throws SamlError malformed, signature, algorithm
 */
export function assertSignatures(
  root: XmlElement,
  signed: readonly XmlElement[],
  allowsSha1: boolean,
): readonly XmlElement[] {
  const all = everyElement(root);
  assertDistinctIds(all);
  const signatures = all.filter(({ localName, namespaceURI }) => localName === 'Signature' && namespaceURI === XMLDSIG);
  const owners = signatures.map(({ parentNode }) => parentNode);
  const isMisplaced = owners.some((owner) => owner === null || !signed.includes(owner));
  if (isMisplaced || new Set(owners).size !== owners.length)
    throw new SamlError('signature', 'a signature is misplaced');
  for (const signature of signatures) assertShape(signature, signature.parentNode!, allowsSha1);
  return owners as XmlElement[];
}

/** Two elements of one id are how a signed one is put aside (https://www.usenix.org/conference/usenixsecurity12/technical-sessions/presentation/somorovsky). */
function assertDistinctIds(all: readonly XmlElement[]): void {
  const seen = new Set<string>();
  for (const { attributes } of all) {
    for (const { localName, namespaceURI, value } of Array.from(attributes)) {
      if (!/^id$/i.test(localName) || namespaceURI === 'http://www.w3.org/2000/xmlns/') continue;
      if (seen.has(value)) throw new SamlError('malformed', 'an id occurs twice');
      seen.add(value);
    }
  }
}

function assertShape(signature: XmlElement, owner: XmlElement, allowsSha1: boolean): void {
  const info = only(signature, 'SignedInfo');
  assertPlain(only(signature, 'SignatureValue'));
  const known = ['SignedInfo', 'SignatureValue', 'KeyInfo'];
  if (childElements(signature).some(({ localName }) => !known.includes(localName))) {
    throw new SamlError('signature', 'it holds more than a signature');
  }
  readSignedInfo(info, owner, allowsSha1);
}

/** What a signature says of itself. */
export interface SignedInfo {
  readonly signatureMethod: string;
  readonly digestMethod: string;
  /** Base64. */
  readonly digestValue: string;
  /** Whose namespaces are signed also where they are not used (https://www.w3.org/TR/xml-exc-c14n/#def-InclusiveNamespaces-PrefixList). */
  readonly prefixes: readonly string[];
}

/** @throws SamlError signature, algorithm: it is not of the owner, or not of the shape that is accepted */
export function readSignedInfo(info: XmlElement, owner: XmlElement, allowsSha1: boolean): SignedInfo {
  assertPlain(info);
  const signatureMethod = only(info, 'SignatureMethod').getAttribute('Algorithm') ?? '';
  assertListed(signatureMethod, acceptedSignatures(allowsSha1), 'signature');
  const canonical = only(info, 'CanonicalizationMethod').getAttribute('Algorithm') ?? '';
  assertListed(canonical, [EXCLUSIVE, `${EXCLUSIVE}WithComments`], 'canonical form');
  const reference = only(info, 'Reference');
  const id = owner.getAttribute('ID');
  if (!id || reference.getAttribute('URI') !== `#${id}`) throw new SamlError('signature', 'it is of another element');
  const digestMethod = only(reference, 'DigestMethod').getAttribute('Algorithm') ?? '';
  assertListed(digestMethod, allowsSha1 ? [...DIGESTS, `${XMLDSIG}sha1`] : DIGESTS, 'digest');
  const transforms = childrenOf(only(reference, 'Transforms'), XMLDSIG, 'Transform');
  const [first, second] = transforms.map((transform) => transform.getAttribute('Algorithm') ?? '');
  if (transforms.length !== 2 || first !== ENVELOPED || second !== EXCLUSIVE) {
    throw new SamlError('algorithm', 'a transform is not accepted');
  }
  const digestValue = textOf(only(reference, 'DigestValue'));
  return { signatureMethod, digestMethod, digestValue, prefixes: readPrefixes(transforms[1]!) };
}

const readPrefixes = (method: XmlElement): string[] =>
  childrenOf(method, EXCLUSIVE, 'InclusiveNamespaces').flatMap((list) =>
    (list.getAttribute('PrefixList') ?? '').split(/\s+/).filter((prefix) => prefix !== ''),
  );

/** A comment in what is signed reads otherwise to some than to others (CVE-2025-29775). */
function assertPlain(parent: XmlElement): void {
  for (const child of Array.from(parent.childNodes)) {
    const isText = child.nodeType === 3;
    if (child.nodeType !== 1 && !isText) throw new SamlError('signature', 'a comment is in what is signed');
    if (!isText) assertPlain(child);
  }
}

/** @throws SamlError signature: there is none, or more than one */
function only(parent: XmlElement, name: string): XmlElement {
  const [first, ...more] = childrenOf(parent, XMLDSIG, name);
  if (first === undefined || more.length > 0) throw new SamlError('signature', `it does not have one ${name}`);
  return first;
}

/** @returns the one of an element, which assertSignatures has found to be the only one */
export const signatureOf = (owner: XmlElement): XmlElement => only(owner, 'Signature');

/** @returns the hash of an accepted digest, as node:crypto names it */
export const digestHash = (algorithm: string): string => algorithm.replace(/^.*#/, '');

/** @returns the hash of a signature algorithm, as node:crypto names it. @throws SamlError algorithm */
export function signatureHash(algorithm: string, allowsSha1: boolean): string {
  assertListed(algorithm, acceptedSignatures(allowsSha1), 'signature');
  return algorithm.replace(/^.*#rsa-/, '');
}

function assertListed(algorithm: string, accepted: readonly string[], what: string): void {
  if (!accepted.includes(algorithm)) throw new SamlError('algorithm', `the algorithm of the ${what} is not accepted`);
}
