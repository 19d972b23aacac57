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

/** A value, and the name of the attribute that it is from, or NameID; null: there is none. */
export interface SamlSource {
  readonly value: string;
  readonly from: string | null;
}

/** What an assertion says of a person, also where that is too little to sign in. */
export interface ExaminedPerson extends Pick<SamlPerson, 'claims' | 'trustedClaims' | 'shortened'> {
  readonly subject: SamlSource;
  readonly email: SamlSource;
  /** Attributes of which nothing is kept. */
  readonly unmapped: readonly SamlAttribute[];
}

const NAME_ID = 'NameID';
const NOTHING: SamlSource = { value: '', from: null };
/** In lower case, as all names that are looked for. */
const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id'.toLowerCase();
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

/** What the mapping reads of an assertion. */
export type SamlSaid = Pick<SamlAssertion, 'attributes' | 'nameId'>;
type Mapping = Readonly<Record<string, MappedClaim>>;
type GivenMapping = Readonly<Record<string, unknown>>;

const readMapping = (given: GivenMapping): Mapping => (given['keys'] ?? {}) as Mapping;

/** @throws ApiError samlUserIdMissing, samlEmailMissing */
export function readSamlPerson(said: SamlSaid, attributeMapping: GivenMapping): SamlPerson {
  const mapping = readMapping(attributeMapping);
  const named = indexNames(said.attributes);
  const { value: subject } = readSubject(said, named);
  if (subject === '' || subject.length > 512) throw apiError('samlUserIdMissing');
  const { value: email } = readEmail(said, named, mapping);
  if (email === '') throw apiError('samlEmailMissing');
  return { subject, email, ...readClaims(named, mapping) };
}

/** By the same rules, for operators. */
export function examineSamlPerson(said: SamlSaid, attributeMapping: GivenMapping): ExaminedPerson {
  const mapping = readMapping(attributeMapping);
  const named = indexNames(said.attributes);
  const [subject, email] = [readSubject(said, named), readEmail(said, named, mapping)];
  const wanted = new Set([SUBJECT_ID, ...Object.values(mapping).flatMap(namesOf)]);
  const unmapped = said.attributes.filter(
    (attribute) => attribute.name !== email.from && !spellingsOf(attribute).some((name) => wanted.has(name)),
  );
  return { subject, email, ...readClaims(named, mapping), unmapped };
}

/** @returns gives all values of an attribute, by Name or FriendlyName */
export function attributeReader({ attributes }: SamlSaid): (name: string) => readonly string[] {
  const named = indexNames(attributes);
  return (name) => attributesOf(named, [name.toLowerCase()]).flatMap(({ values }) => values);
}

/** Attributes by Name and FriendlyName, in lower case: a mapping may have two thousand names, and an assertion as many attributes. */
type Named = ReadonlyMap<string, readonly SamlAttribute[]>;

/** An empty FriendlyName is none: most attributes have no other. */
const spellingsOf = ({ name, friendlyName }: SamlAttribute): string[] =>
  [...new Set([name.toLowerCase(), friendlyName.toLowerCase()])].filter((one) => one !== '');

/** Only values that are not empty. */
function indexNames(attributes: readonly SamlAttribute[]): Named {
  const named = new Map<string, SamlAttribute[]>();
  for (const attribute of attributes) {
    const values = attribute.values.filter((value) => value !== '');
    if (values.length === 0) continue;
    for (const name of spellingsOf(attribute)) {
      const others = named.get(name);
      if (others === undefined) named.set(name, [{ ...attribute, values }]);
      else others.push({ ...attribute, values });
    }
  }
  return named;
}

const isFormat = (nameId: SamlNameId | null, format: string): boolean => nameId?.format === format;

function readSubject({ nameId }: SamlSaid, named: Named): SamlSource {
  const given = firstOf(named, [SUBJECT_ID]);
  if (given !== null) return given;
  if (nameId === null || isFormat(nameId, nameIdFormats.transient)) return NOTHING;
  const isAddress = isFormat(nameId, nameIdFormats.emailAddress);
  return { value: isAddress ? nameId.value.trim().toLowerCase() : nameId.value, from: NAME_ID };
}

function readEmail({ attributes, nameId }: SamlSaid, named: Named, mapping: Mapping): SamlSource {
  const mapped = mapping['email'];
  const found = mapped === undefined ? null : firstOf(named, namesOf(mapped));
  if (found !== null) return found;
  for (const wanted of EMAIL_ATTRIBUTES) {
    const usual = attributes.filter(({ name, friendlyName }) => name === wanted || friendlyName === wanted);
    const [filled] = usual.filter(({ values }) => values.some((value) => value !== ''));
    if (filled !== undefined) return { value: filled.values.find((value) => value !== '')!, from: filled.name };
  }
  return isFormat(nameId, nameIdFormats.emailAddress) ? { value: nameId!.value, from: NAME_ID } : NOTHING;
}

const namesOf = ({ name = '', names = [] }: MappedClaim): string[] =>
  [name, ...names].filter((one) => one !== '').map((one) => one.toLowerCase());

/** The attributes of the first name that has a value. */
function attributesOf(named: Named, names: readonly string[]): readonly SamlAttribute[] {
  const first = names.find((name) => named.has(name));
  return first === undefined ? [] : named.get(first)!;
}

function firstOf(named: Named, names: readonly string[]): SamlSource | null {
  const [found] = attributesOf(named, names);
  return found === undefined ? null : { value: found.values[0]!, from: found.name };
}

function readClaims(named: Named, mapping: Mapping): Pick<SamlPerson, 'claims' | 'trustedClaims' | 'shortened'> {
  const [claims, custom, trusted]: Record<string, unknown>[] = [{}, Object.create(null), Object.create(null)];
  const shortened: string[] = [];
  for (const [claim, entry] of Object.entries(mapping)) {
    if (claim === 'email') continue;
    const texts = attributesOf(named, namesOf(entry)).flatMap(({ values: own }) => own);
    const values = texts.map((value) => value.slice(0, MAX_TEXT).toWellFormed());
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
