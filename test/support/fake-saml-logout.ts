/** Messages of single log-out as an identity provider sends them. They are in canonical form, as its others. */
import { createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type FakeSamlIdp, PERSISTENT, signXml } from './fake-saml-idp.js';
import { ENTITY_ID } from './saml-flow.js';

export const SLO_URL = ENTITY_ID.replace(/metadata$/, 'slo');
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

export interface LogoutOptions {
  readonly nameId?: string;
  readonly sessionIndexes?: readonly string[];
  readonly destination?: string;
  readonly issuer?: string;
  /** Milliseconds that the clock of the provider is ahead. */
  readonly clockMs?: number;
  readonly id?: string;
  /** Replaces the name of the person. */
  readonly subject?: string;
}

/** @returns XML without a signature */
export function writeLogoutRequest({ entityId }: FakeSamlIdp, options: LogoutOptions = {}): string {
  const { nameId = 'person-1', sessionIndexes = [] } = options;
  return write('LogoutRequest', entityId, options, '', [
    options.subject ?? `<saml:NameID xmlns:saml="${ASSERTION}" Format="${PERSISTENT}">${nameId}</saml:NameID>`,
    ...sessionIndexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`),
  ]);
}

/** @returns XML without a signature */
export function writeLogoutAnswer(
  { entityId }: FakeSamlIdp,
  requestId: string,
  { status = 'Success', ...options }: LogoutOptions & { readonly status?: string } = {},
): string {
  return write('LogoutResponse', entityId, options, ` InResponseTo="${requestId}"`, [
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"></samlp:StatusCode></samlp:Status>`,
  ]);
}

function write(
  name: string,
  entityId: string,
  { destination = SLO_URL, issuer = entityId, clockMs = 0, id = `_${randomBytes(16).toString('hex')}` }: LogoutOptions,
  attributes: string,
  contents: readonly string[],
): string {
  const at = new Date(Date.now() + clockMs).toISOString();
  return [
    `<samlp:${name} xmlns:samlp="${PROTOCOL}" Destination="${destination}" ID="${id}"${attributes} IssueInstant="${at}" Version="2.0">`,
    `<saml:Issuer xmlns:saml="${ASSERTION}">${issuer}</saml:Issuer>`,
    ...contents,
    `</samlp:${name}>`,
  ].join('');
}

/** The fields of a form. */
export const asForm = (
  idp: FakeSamlIdp,
  parameter: string,
  xml: string,
  relayState?: string,
): Record<string, string> => ({
  [parameter]: Buffer.from(signXml(xml, idp.key)).toString('base64'),
  ...(relayState !== undefined && { RelayState: relayState }),
});

/** A query, spelled as .NET does it: hexadecimal digits in lower case. */
export function asQuery(
  parameter: string,
  xml: string,
  { key, relayState, algorithm = RSA_SHA256 }: { key?: KeyObject; relayState?: string; algorithm?: string },
): string {
  const spell = (text: string) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase());
  const pairs: readonly (readonly [string, string])[] = [
    [parameter, deflateRawSync(xml).toString('base64')],
    ...(relayState === undefined ? [] : ([['RelayState', relayState]] as const)),
    ...(key === undefined ? [] : ([['SigAlg', algorithm]] as const)),
  ];
  const signed = pairs.map(([name, value]) => `${name}=${spell(value)}`).join('&');
  if (key === undefined) return signed;
  return `${signed}&Signature=${spell(sign('sha256', Buffer.from(signed), key).toString('base64'))}`;
}

export interface ReadMessage {
  readonly xml: string;
  readonly id: string;
  readonly relayState: string | null;
  readonly address: string;
}

/** Reads a message of the server from the address to which the browser is sent. @throws Error where it is not signed */
export function readRedirect(text: string, certificate: string): ReadMessage {
  const url = new URL(text);
  const signed = url.search.slice(1).replace(/&Signature=.*$/, '');
  const key = createPublicKey(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`);
  const signature = Buffer.from(url.searchParams.get('Signature') ?? '', 'base64');
  if (!verify('sha256', Buffer.from(signed), key, signature)) throw new Error('The message is not signed.');
  const message = url.searchParams.get('SAMLRequest') ?? url.searchParams.get('SAMLResponse') ?? '';
  const xml = inflateRawSync(Buffer.from(message, 'base64')).toString();
  return { xml, id: idOf(xml), relayState: url.searchParams.get('RelayState'), address: url.origin + url.pathname };
}

/** Reads the same from a page that sends it as a form. */
export function readForm(page: string): ReadMessage {
  const fieldOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? null;
  const message = fieldOf('SAMLRequest') ?? fieldOf('SAMLResponse') ?? '';
  const xml = Buffer.from(message, 'base64').toString();
  const address = /action="([^"]*)"/.exec(page)?.[1] ?? '';
  return { xml, id: idOf(xml), relayState: fieldOf('RelayState'), address };
}

const idOf = (xml: string): string => / ID="([^"]*)"/.exec(xml)?.[1] ?? '';
