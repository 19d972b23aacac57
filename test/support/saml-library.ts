/** How `@node-saml/node-saml` signs and verifies. The server verifies in its own way, which must find the same. */
import { createRequire } from 'node:module';

interface Library {
  getVerifiedXml(text: string, owner: Node, certificates: readonly string[]): string | null;
}
interface Node {
  readonly localName: string;
  readonly childNodes: ArrayLike<Node>;
}
interface Dom {
  readonly DOMParser: new (
    options: object,
  ) => {
    parseFromString(text: string, type: string): { readonly documentElement: Node };
  };
}
interface Signer {
  addReference(options: object): void;
  computeSignature(text: string, options: object): void;
  getSignedXml(): string;
}

// Their types bring those of browsers into every file.
const require = createRequire(import.meta.url);
const { getVerifiedXml } = require('@node-saml/node-saml/lib/xml.js') as Library;
const { SignedXml } = require('xml-crypto') as { SignedXml: new (options: object) => Signer };
const { DOMParser } = require('@xmldom/xmldom') as Dom;

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * @param certificate base64 of DER
 * @param owner name of the signed element: the root, or a child of it
 * @returns what was signed, in canonical form; null: it was not, or not with the key of the certificate
 */
export function verifyWithLibrary(xml: string, certificate: string, owner?: string): string | null {
  const silent = { errorHandler: () => undefined };
  const root = new DOMParser(silent).parseFromString(xml.replace(/\r\n?/g, '\n'), 'text/xml').documentElement;
  const found = owner === undefined ? root : Array.from(root.childNodes).find(({ localName }) => localName === owner);
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
  return found === undefined ? null : getVerifiedXml(xml, found, [pem]);
}

/**
 * @param privateKey PEM
 * @param id of the element, whose first child the signature follows
 * @param prefixes that are signed also where they are not used
 */
export function signWithLibrary(xml: string, privateKey: string, id: string, prefixes: readonly string[] = []): string {
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signer.addReference({
    xpath: `//*[@ID='${id}']`,
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    inclusiveNamespacesPrefixList: prefixes,
  });
  const location = { reference: `//*[@ID='${id}']/*[1]`, action: 'after' };
  signer.computeSignature(xml, { prefix: 'ds', location });
  return signer.getSignedXml();
}
