/** Attributes of an assertion → who it is, and what is known about them. */
import type { Metadata } from '../../db/user-rows.js';
import type { SamlAssertion, SamlAttribute, SamlNameId } from '../../workers/saml-wire.js';
import { apiError } from '../errors.js';
import { nameIdFormats } from './name-id-formats.js';

/** One entry of `attribute_mapping.keys`. */
export interface MappedClaim {
  readonly name?: string;
  readonly names?: readonly string[];
  readonly default?: unknown;
  readonly array?: boolean;
  /** Where the claim goes; default: user_metadata, which the person can edit. */
  readonly target?: 'app_metadata';
}

export interface SamlPerson {
  readonly subject: string;
  readonly email: string;
  /** identity_data and user_metadata, without the address. */
  readonly claims: Metadata;
  /** app_metadata.sso; null: the mapping names none. */
  readonly trustedClaims: Metadata | null;
  /** Claims with several values of which only the first was kept. */
  readonly shortened: readonly string[];
}

const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id';
/** In this order, as in supabase/auth. */
const EMAIL_ATTRIBUTES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'Mail',
  'email',
];
/** Claims of OpenID Connect Core 5.1 and some more, which are members of their own; all others are in custom_claims. */
const KNOWN_CLAIMS = [
  ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at', 'phone', 'avatar_url', 'full_name'],
  ...['user_name', 'provider_id', 'slug'],
];
/** Only this server decides about them. */
const RESERVED_CLAIMS = [
  'iss',
  'sub',
  'email',
  'email_verified',
  'phone_verified',
  'aud',
  'exp',
  'iat',
  'custom_claims',
];
const MAX_TEXT = 2_048;

type Said = Pick<SamlAssertion, 'attributes' | 'nameId'>;
type Mapping = Readonly<Record<string, MappedClaim>>;

/** @throws ApiError samlUserIdMissing, samlEmailMissing */
export function readSamlPerson(said: Said, attributeMapping: Readonly<Record<string, unknown>>): SamlPerson {
  const mapping = (attributeMapping['keys'] ?? {}) as Mapping;
  const subject = readSubject(said);
  if (subject === '' || subject.length > 512) throw apiError('samlUserIdMissing');
  const email = readEmail(said, mapping);
  if (email === '') throw apiError('samlEmailMissing');
  return { subject, email, ...readClaims(said.attributes, mapping) };
}

const isFormat = (nameId: SamlNameId | null, format: string): boolean => nameId?.format === format;

function readSubject({ attributes, nameId }: Said): string {
  const [given] = valuesOf(attributes, [SUBJECT_ID]);
  if (given !== undefined) return given;
  if (nameId === null || isFormat(nameId, nameIdFormats.transient)) return '';
  return isFormat(nameId, nameIdFormats.emailAddress) ? nameId.value.trim().toLowerCase() : nameId.value;
}

function readEmail({ attributes, nameId }: Said, mapping: Mapping): string {
  const mapped = mapping['email'];
  const [first] = mapped === undefined ? [] : valuesOf(attributes, namesOf(mapped));
  const found =
    first ?? EMAIL_ATTRIBUTES.map((name) => exactValue(attributes, name)).find((value) => value !== undefined);
  if (found !== undefined) return found;
  return isFormat(nameId, nameIdFormats.emailAddress) ? nameId!.value : '';
}

const exactValue = (attributes: readonly SamlAttribute[], wanted: string): string | undefined =>
  attributes
    .filter(({ name, friendlyName }) => name === wanted || friendlyName === wanted)
    .flatMap(({ values }) => values)
    .find((value) => value !== '');

const namesOf = ({ name, names = [] }: MappedClaim): string[] => (name === undefined ? [...names] : [name, ...names]);

/** The values of the first name that has one; names are compared without case, with Name and FriendlyName. */
function valuesOf(attributes: readonly SamlAttribute[], names: readonly string[]): string[] {
  for (const wanted of names.map((name) => name.toLowerCase())) {
    const values = attributes
      .filter(({ name, friendlyName }) => name.toLowerCase() === wanted || friendlyName.toLowerCase() === wanted)
      .flatMap(({ values: own }) => own)
      .filter((value) => value !== '');
    if (values.length > 0) return values;
  }
  return [];
}

function readClaims(
  attributes: readonly SamlAttribute[],
  mapping: Mapping,
): Pick<SamlPerson, 'claims' | 'trustedClaims' | 'shortened'> {
  const [claims, custom, trusted]: Record<string, unknown>[] = [{}, Object.create(null), Object.create(null)];
  const shortened: string[] = [];
  for (const [claim, entry] of Object.entries(mapping)) {
    if (claim === 'email') continue;
    const values = valuesOf(attributes, namesOf(entry)).map((value) => value.slice(0, MAX_TEXT).toWellFormed());
    if (values.length > 1 && entry.array !== true) shortened.push(claim);
    const value = entry.array === true && values.length > 0 ? values : (values[0] ?? entry.default);
    if (value === undefined) continue;
    if (entry.target === 'app_metadata') trusted![claim] = value;
    else if (RESERVED_CLAIMS.includes(claim)) continue;
    else if (KNOWN_CLAIMS.includes(claim)) claims![claim] = value;
    else custom![claim] = value;
  }
  const hasTrusted = Object.values(mapping).some(({ target }) => target === 'app_metadata');
  return {
    claims: { ...claims, custom_claims: { ...custom } },
    trustedClaims: hasTrusted ? { ...trusted } : null,
    shortened,
  };
}
