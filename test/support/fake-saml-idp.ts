/**
 * An identity provider that signs real assertions, and can lie in every way. It writes its messages in canonical form
 * (https://www.w3.org/TR/xml-exc-c14n/), so that it needs no XML library, and shares no fault with the one that reads them.
 */
import { createHash, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { makeSamlCertificate } from '../../src/server/saml/certificate.js';
import { takeRsaKey } from './rsa-keys.js';
import { encryptAssertion, type XmlEncryption } from './xml-encryption.js';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

const algorithms = {
  sha256: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmlenc#sha256'],
  sha512: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  sha1: [`${DSIG}rsa-sha1`, `${DSIG}sha1`],
} as const;

export type Attributes = Readonly<Record<string, string | readonly string[]>>;

export interface ResponseOptions {
  readonly acsUrl: string;
  readonly audience: string;
  /** ID of the request that is answered. */
  readonly requestId?: string | undefined;
  readonly nameId?: { readonly value: string; readonly format: string } | null;
  readonly attributes?: Attributes;
  readonly signs?: 'assertion' | 'response' | 'both' | 'nothing';
  readonly algorithm?: keyof typeof algorithms;
  readonly key?: KeyObject;
  readonly assertionId?: string;
  readonly sessionNotOnOrAfter?: string;
  /** Milliseconds that the clock of the provider is ahead. */
  readonly clockMs?: number;
  readonly status?: string;
  readonly issuer?: string;
  readonly recipient?: string;
  readonly destination?: string | null;
  /** Certificate for whose key the assertion is encrypted: base64 of DER. */
  readonly encryptFor?: string;
  readonly encryption?: XmlEncryption;
  /** Changes the assertion before it is signed. */
  readonly assertion?: (xml: string) => string;
  /** Changes the response before it is signed. */
  readonly response?: (xml: string) => string;
  /** Changes what was signed. */
  readonly after?: (xml: string) => string;
}

export interface SamlRequest {
  readonly id: string;
  readonly relayState: string;
  readonly acsUrl: string;
  readonly issuer: string;
  readonly xml: string;
  readonly url: URL;
}

export interface FakeSamlIdp {
  readonly entityId: string;
  readonly key: KeyObject;
  /** Base64 of DER. */
  readonly certificate: string;
  /** Changes its key, as after years. */
  changeKey(): void;
  metadata(changes?: {
    readonly certificates?: readonly string[];
    readonly attributes?: string;
    /** Bindings of single log-out: HTTP-Redirect, HTTP-POST. */
    readonly slo?: readonly string[];
  }): string;
  /** Base64. */
  respond(options: ResponseOptions): string;
  /** Its XML. */
  write(options: ResponseOptions): string;
  /** Reads the address to which a browser was sent. @param certificate of the server, which must have signed it */
  readRequest(url: string, certificate?: string): SamlRequest;
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const newId = (): string => `_${randomBytes(16).toString('hex')}`;

export function openFakeIdp(name = 'idp.acme.example'): FakeSamlIdp {
  const entityId = `https://${name}/saml`;
  let privateKey = takeRsaKey();
  let certificate = makeSamlCertificate(privateKey, name, false).toString('base64');
  const write = (options: ResponseOptions): string => writeResponse(entityId, options.key ?? privateKey, options);
  return {
    entityId,
    get key() {
      return privateKey;
    },
    get certificate() {
      return certificate;
    },
    changeKey() {
      privateKey = takeRsaKey();
      certificate = makeSamlCertificate(privateKey, name, false).toString('base64');
    },
    metadata: ({ certificates = [certificate], attributes = '', slo = [] } = {}) =>
      `<?xml version="1.0"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}"${attributes}>` +
      `<IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">` +
      certificates
        .map(
          (one) =>
            `<KeyDescriptor use="signing"><KeyInfo xmlns="${DSIG}"><X509Data><X509Certificate>${one}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
        )
        .join('') +
      slo
        .map(
          (binding) =>
            `<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="https://${name}/slo" ResponseLocation="https://${name}/slo-answer"/>`,
        )
        .join('') +
      `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://${name}/sso?tenant=1"/>` +
      '</IDPSSODescriptor></EntityDescriptor>',
    write,
    respond: (options) => Buffer.from(write(options)).toString('base64'),
    readRequest,
  };
}

function writeResponse(entityId: string, key: KeyObject, options: ResponseOptions): string {
  const { signs = 'assertion', acsUrl, requestId, algorithm = 'sha256' } = options;
  const at = (seconds: number): string => new Date(Date.now() + (options.clockMs ?? 0) + seconds * 1000).toISOString();
  const issuer = escapeText(options.issuer ?? entityId);
  const inResponseTo = requestId === undefined ? '' : ` InResponseTo="${escapeText(requestId)}"`;
  const { nameId = { value: 'person-1', format: PERSISTENT }, attributes = {} } = options;
  const sessionEnd =
    options.sessionNotOnOrAfter === undefined ? '' : ` SessionNotOnOrAfter="${options.sessionNotOnOrAfter}"`;
  const assertionId = options.assertionId ?? newId();
  const assertion = [
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${assertionId}" IssueInstant="${at(0)}" Version="2.0">`,
    `<saml:Issuer>${issuer}</saml:Issuer>`,
    '<saml:Subject>',
    nameId === null ? '' : `<saml:NameID Format="${nameId.format}">${escapeText(nameId.value)}</saml:NameID>`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml:SubjectConfirmationData${inResponseTo} NotOnOrAfter="${at(300)}" Recipient="${escapeText(options.recipient ?? acsUrl)}"></saml:SubjectConfirmationData>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${at(-60)}" NotOnOrAfter="${at(300)}">`,
    `<saml:AudienceRestriction><saml:Audience>${escapeText(options.audience)}</saml:Audience></saml:AudienceRestriction>`,
    '</saml:Conditions>',
    `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="session-1"${sessionEnd}><saml:AuthnContext>`,
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>',
    '</saml:AuthnContext></saml:AuthnStatement>',
    writeAttributes(attributes),
    '</saml:Assertion>',
  ].join('');
  const changed = options.assertion?.(assertion) ?? assertion;
  const signedAssertion = signs === 'assertion' || signs === 'both' ? signXml(changed, key, algorithm) : changed;
  const destination = options.destination === null ? '' : ` Destination="${escapeText(options.destination ?? acsUrl)}"`;
  const response = [
    `<samlp:Response xmlns:samlp="${PROTOCOL}"${destination} ID="${newId()}"${inResponseTo} IssueInstant="${at(0)}" Version="2.0">`,
    `<saml:Issuer xmlns:saml="${ASSERTION}">${issuer}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${options.status ?? 'Success'}"></samlp:StatusCode></samlp:Status>`,
    options.encryptFor === undefined
      ? signedAssertion
      : encryptAssertion(signedAssertion, options.encryptFor, options.encryption),
    '</samlp:Response>',
  ].join('');
  const whole = options.response?.(response) ?? response;
  const signed = signs === 'response' || signs === 'both' ? signXml(whole, key, algorithm) : whole;
  return options.after?.(signed) ?? signed;
}

function writeAttributes(attributes: Attributes): string {
  const entries = Object.entries(attributes);
  if (entries.length === 0) return '';
  const written = entries.map(([name, values]) => {
    const all = [values].flat() as string[];
    const texts = all.map((value) => `<saml:AttributeValue>${escapeText(value)}</saml:AttributeValue>`);
    return `<saml:Attribute Name="${escapeText(name)}">${texts.join('')}</saml:Attribute>`;
  });
  return `<saml:AttributeStatement>${written.join('')}</saml:AttributeStatement>`;
}

/** Signs an element in canonical form by its ID, and puts the signature behind its issuer. */
export function signXml(xml: string, key: KeyObject, algorithm: keyof typeof algorithms = 'sha256'): string {
  const [method, digestMethod] = algorithms[algorithm];
  const id = / ID="([^"]*)"/.exec(xml)![1];
  const digest = createHash(algorithm).update(xml).digest('base64');
  const info = [
    `<ds:SignedInfo xmlns:ds="${DSIG}"><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod>`,
    `<ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms>`,
    `<ds:Transform Algorithm="${DSIG}enveloped-signature"></ds:Transform><ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform>`,
    `</ds:Transforms><ds:DigestMethod Algorithm="${digestMethod}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue>`,
    '</ds:Reference></ds:SignedInfo>',
  ].join('');
  const value = sign(algorithm, Buffer.from(info), key).toString('base64');
  const inner = info.replace(` xmlns:ds="${DSIG}"`, '');
  const signature = `<ds:Signature xmlns:ds="${DSIG}">${inner}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  const end = xml.indexOf('</saml:Issuer>') + '</saml:Issuer>'.length;
  return xml.slice(0, end) + signature + xml.slice(end);
}

function readRequest(text: string, certificate?: string): SamlRequest {
  const url = new URL(text);
  const raw = Object.fromEntries(
    url.search
      .slice(1)
      .split('&')
      .map((pair) => pair.split('=', 2) as [string, string]),
  );
  if (certificate !== undefined) {
    const signed = `SAMLRequest=${raw['SAMLRequest']}&RelayState=${raw['RelayState']}&SigAlg=${raw['SigAlg']}`;
    const key = createPublicKey(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`);
    const signature = Buffer.from(decodeURIComponent(raw['Signature'] ?? ''), 'base64');
    if (!verify('sha256', Buffer.from(signed), key, signature)) throw new Error('The request is not signed.');
  }
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const attribute = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
  return {
    id: attribute('ID'),
    relayState: url.searchParams.get('RelayState') ?? '',
    acsUrl: attribute('AssertionConsumerServiceURL').replace(/&#(\d+);/g, (_, code: string) =>
      String.fromCodePoint(Number(code)),
    ),
    issuer: /<saml:Issuer>([^<]*)</.exec(xml)?.[1] ?? '',
    xml,
    url,
  };
}
