/** Reads an assertion whose signature was verified (SAML Profiles 4.1.4.2 and 4.1.4.3). */
import type { ExpectedResponse, SamlAssertion, SamlAttribute, SamlNameId } from '../saml-wire.js';
import type { Judge } from './judge.js';
import { ASSERTION } from './signatures.js';
import { assertNotOlder, assertWithin, readInstant } from './times.js';
import { childElements, childrenOf, SamlError, textOf, type XmlElement } from './xml.js';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const ENTITY = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
const CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
const MAX_VALUES = 2_000;

/** @throws SamlError of every kind but signature and encryption */
export function readSignedAssertion(assertion: XmlElement, expected: ExpectedResponse, judge: Judge): SamlAssertion {
  const id = assertion.getAttribute('ID') ?? '';
  if (id === '' || assertion.getAttribute('Version') !== '2.0') {
    throw new SamlError('malformed', 'it is no assertion of SAML 2.0');
  }
  judge.check('issuer', undefined, () => assertIssuer(assertion, expected));
  const issuedAt = judge.check('expired', expected.nowMs, () => readIssueInstant(assertion, expected));
  const subject = judge.check<XmlElement | null>('subject', null, () => only(assertion, 'Subject', 'subject'));
  const confirmedUntil = subject === null ? expected.nowMs : readConfirmations(subject, expected, judge);
  const conditions = judge.check<XmlElement | null>('audience', null, () => only(assertion, 'Conditions', 'audience'));
  if (conditions !== null) assertConditions(conditions, expected, judge);
  const session = readSession(assertion, expected, judge);
  const lastMs = Math.min(confirmedUntil, issuedAt + expected.maxIssueDelaySeconds * 1000);
  return {
    id,
    endsAtMs: lastMs + expected.clockSkewSeconds * 1000,
    nameId: subject === null ? null : judge.check('subject', null, () => readNameId(subject)),
    attributes: readAttributes(assertion),
    ...session,
  };
}

function assertIssuer(assertion: XmlElement, { issuer }: ExpectedResponse): void {
  const found = only(assertion, 'Issuer', 'issuer');
  const format = found.getAttribute('Format') || ENTITY;
  if (format !== ENTITY || textOf(found) !== issuer) {
    throw new SamlError('issuer', 'the assertion is from another issuer', textOf(found));
  }
}

function readIssueInstant(assertion: XmlElement, expected: ExpectedResponse): number {
  const issuedAt = readInstant(assertion, 'IssueInstant');
  if (issuedAt === null) throw new SamlError('expired', 'the assertion does not say when it was issued');
  assertNotOlder(issuedAt, expected);
  return issuedAt;
}

function readNameId(subject: XmlElement): SamlNameId | null {
  const [found, ...more] = childrenOf(subject, ASSERTION, 'NameID');
  if (more.length > 0) throw new SamlError('subject', 'the subject has several names');
  if (found === undefined || textOf(found) === '') return null;
  return { value: textOf(found), format: found.getAttribute('Format') ?? '' };
}

/** @returns the earliest end of the bearer confirmations, each of which must hold */
function readConfirmations(subject: XmlElement, expected: ExpectedResponse, judge: Judge): number {
  const bearers = childrenOf(subject, ASSERTION, 'SubjectConfirmation').filter(
    (confirmation) => confirmation.getAttribute('Method') === BEARER,
  );
  const ends = judge.check('subject', [], () => {
    if (bearers.length === 0) throw new SamlError('subject', 'no bearer confirms the subject');
    return bearers.map((bearer) => only(bearer, 'SubjectConfirmationData', 'subject'));
  });
  return Math.min(...ends.map((data) => readBearer(data, expected, judge)));
}

function readBearer(data: XmlElement, expected: ExpectedResponse, judge: Judge): number {
  judge.check('recipient', undefined, () => {
    const recipient = data.getAttribute('Recipient');
    if (recipient !== expected.acsUrl) {
      throw new SamlError('recipient', 'the assertion is for another address', recipient ?? '');
    }
  });
  judge.check('response_to', undefined, () => {
    const requestId = data.getAttribute('InResponseTo') || null;
    if (requestId !== expected.requestId) {
      throw new SamlError('response_to', 'the assertion answers another request, or none', requestId ?? '');
    }
  });
  return judge.check('expired', expected.nowMs, () => {
    const end = assertWithin(data, expected);
    if (end === null) throw new SamlError('expired', 'the confirmation of the subject has no end');
    return end;
  });
}

function assertConditions(conditions: XmlElement, expected: ExpectedResponse, judge: Judge): void {
  judge.check('expired', null, () => assertWithin(conditions, expected));
  judge.check('malformed', undefined, () => {
    if (childElements(conditions).some(({ localName }) => !CONDITIONS.includes(localName))) {
      throw new SamlError('malformed', 'the assertion has an unknown condition');
    }
  });
  judge.check('audience', undefined, () => {
    const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction').map((restriction) =>
      childrenOf(restriction, ASSERTION, 'Audience').map(textOf),
    );
    const isForUs = restrictions.every((audiences) => audiences.includes(expected.audience));
    if (restrictions.length === 0 || !isForUs) {
      throw new SamlError('audience', 'the assertion is for another audience', restrictions.flat().join(' '));
    }
  });
}

function readSession(
  assertion: XmlElement,
  { nowMs }: ExpectedResponse,
  judge: Judge,
): Pick<SamlAssertion, 'sessionIndex' | 'sessionEndsAtMs'> {
  const [statement] = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  judge.check('malformed', undefined, () => {
    if (statement === undefined) throw new SamlError('malformed', 'the assertion does not say that anyone signed in');
  });
  if (statement === undefined) return { sessionIndex: null, sessionEndsAtMs: null };
  const sessionEndsAtMs = judge.check('expired', null, () => {
    const end = readInstant(statement, 'SessionNotOnOrAfter');
    if (end !== null && end <= nowMs) throw new SamlError('expired', 'the session at the provider has ended');
    return end;
  });
  return { sessionIndex: statement.getAttribute('SessionIndex') || null, sessionEndsAtMs };
}

function readAttributes(assertion: XmlElement): SamlAttribute[] {
  const attributes = childrenOf(assertion, ASSERTION, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, ASSERTION, 'Attribute'))
    .map((attribute) => ({
      name: attribute.getAttribute('Name') ?? '',
      friendlyName: attribute.getAttribute('FriendlyName') ?? '',
      values: childrenOf(attribute, ASSERTION, 'AttributeValue').map((value) => (value.textContent ?? '').trim()),
    }));
  const count = attributes.reduce((sum, { values }) => sum + values.length, 0);
  if (count > MAX_VALUES) throw new SamlError('malformed', 'the assertion has too many values');
  return attributes;
}

function only(parent: XmlElement, name: string, refusal: 'subject' | 'audience' | 'issuer'): XmlElement {
  const [first, ...more] = childrenOf(parent, ASSERTION, name);
  if (first === undefined || more.length > 0) {
    throw new SamlError(refusal, `the assertion does not have one ${name}`);
  }
  return first;
}
