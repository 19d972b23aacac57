/** Writes the answer to a sign-in (SAML Core 3.3.3), right or with a fault. */
import { randomBytes } from 'node:crypto';
import { escapeMarkup } from '../../html.js';
import { makeSamlId } from '../../server/saml/authn-request.js';
import { nameIdFormats } from '../../server/saml/name-id-formats.js';
import { PROVIDER_ENTITY_ID } from './addresses.js';
import type { ResponseFault } from './faults.js';
import { addressOfPerson, attributesOfPerson, type CompanyPerson } from './people.js';

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const STATUS = 'urn:oasis:names:tc:SAML:2.0:status';
const LIFETIME_SECONDS = 300;
const ELSEWHERE = 'https://elsewhere.example/saml';

export interface ResponseContent {
  readonly person: CompanyPerson;
  /** Entity id of the server. */
  readonly audience: string;
  readonly acsUrl: string;
  /** ID of the request; null: the sign-in begins here. */
  readonly requestId: string | null;
  /** URI; another one than those known, or null: persistent. */
  readonly nameIdFormat: string | null;
  readonly fault: ResponseFault | null;
}

/** @param sign signs an element with the key of the provider. @returns XML */
export async function writeResponse(content: ResponseContent, sign: (xml: string) => Promise<string>): Promise<string> {
  const { acsUrl, fault } = content;
  const at = clockOf(content);
  const inResponseTo = answeredIn(content);
  const status = fault === 'status' ? `${STATUS}:Responder` : `${STATUS}:Success`;
  const plain = writeAssertion(content);
  const assertion = fault === 'unsigned' || fault === 'status' ? plain : await sign(plain);
  return [
    `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${makeSamlId()}" Version="2.0"`,
    ` IssueInstant="${at(0)}" Destination="${escapeMarkup(acsUrl)}"${inResponseTo}>`,
    `<saml:Issuer>${PROVIDER_ENTITY_ID}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>`,
    fault === 'changed' ? assertion.replace(addressOfPerson(content.person), 'chief@elsewhere.example') : assertion,
    '</samlp:Response>',
  ].join('');
}

const clockOf = ({ fault }: ResponseContent) => {
  const now = Date.now() - (fault === 'expired' ? 3_600_000 : 0);
  return (seconds: number): string => new Date(now + seconds * 1000).toISOString();
};

function answeredIn({ requestId, fault }: ResponseContent): string {
  const id = fault === 'response-to' ? makeSamlId() : requestId;
  return id === null ? '' : ` InResponseTo="${escapeMarkup(id)}"`;
}

function writeAssertion(content: ResponseContent): string {
  const { audience, acsUrl, fault } = content;
  const at = clockOf(content);
  const recipient = fault === 'recipient' ? ELSEWHERE : acsUrl;
  return [
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${makeSamlId()}" Version="2.0" IssueInstant="${at(0)}">`,
    `<saml:Issuer>${PROVIDER_ENTITY_ID}</saml:Issuer>`,
    `<saml:Subject>${writeNameId(content)}`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData',
    `${answeredIn(content)} NotOnOrAfter="${at(LIFETIME_SECONDS)}" Recipient="${escapeMarkup(recipient)}"/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${at(-5)}" NotOnOrAfter="${at(LIFETIME_SECONDS)}"><saml:AudienceRestriction>`,
    `<saml:Audience>${escapeMarkup(fault === 'audience' ? ELSEWHERE : audience)}</saml:Audience>`,
    '</saml:AudienceRestriction></saml:Conditions>',
    `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="session-${randomBytes(8).toString('hex')}">`,
    '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified',
    '</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>',
    writeAttributes(content),
    '</saml:Assertion>',
  ].join('');
}

function writeNameId({ person, nameIdFormat }: ResponseContent): string {
  const { persistent, emailAddress, transient } = nameIdFormats;
  const [format, value] =
    nameIdFormat === emailAddress
      ? [emailAddress, addressOfPerson(person)]
      : nameIdFormat === transient
        ? [transient, randomBytes(16).toString('hex')]
        : [persistent, person.subject];
  return `<saml:NameID Format="${format}">${escapeMarkup(value)}</saml:NameID>`;
}

function writeAttributes({ person, fault }: ResponseContent): string {
  const written = Object.entries(attributesOfPerson(person))
    .filter(([name]) => name !== 'mail' || fault !== 'no-address')
    .map(([name, values]) => {
      const texts = values.map((value) => `<saml:AttributeValue>${escapeMarkup(value)}</saml:AttributeValue>`);
      return `<saml:Attribute Name="${name}">${texts.join('')}</saml:Attribute>`;
    });
  return `<saml:AttributeStatement>${written.join('')}</saml:AttributeStatement>`;
}
