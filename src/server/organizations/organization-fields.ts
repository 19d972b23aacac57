/** What clients give of an organization. */
import { randomInt } from 'node:crypto';
import type { Metadata } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import type { OrganizationFieldChanges } from './change-organization.js';
import { fieldError as refuse } from './field-error.js';
import { readPolicyChanges } from './policies.js';

/** The fields as they came; undefined: absent. */
export interface GivenOrganization {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly logo_url?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly policies?: object | undefined;
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;
const MAX_SLUG = 63;
const MAX_NAME = 100;
const MAX_LOGO_BYTES = 2048;
const MAX_METADATA_BYTES = 8192;
/** Without control characters and the marks that change the direction of text. */
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Joiners and the like, which are part of some names, make none alone. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\p{M}]/u;
/** Words that applications use in addresses, and that would mislead as the name of a company. */
const RESERVED = new Set(
  (
    'about account accounts active activate admin administrator all api app apps assets auth billing blog console ' +
    'contact dashboard docs domains download help home internal invitations invite legal login logout members new null ' +
    'oauth official organization organizations owner pricing privacy public register root security settings signin ' +
    'signup sso static status support system team teams terms undefined user users www'
  ).split(' '),
);

/**
 * Checks the fields that are there.
 * @throws ApiError organizationFieldInvalid
 */
export function readOrganizationFields(given: GivenOrganization): OrganizationFieldChanges {
  return {
    ...(given.name !== undefined && { name: readName(given.name) }),
    ...(given.slug !== undefined && { slug: readSlug(given.slug) }),
    ...(given.logo_url !== undefined && { logoUrl: readLogo(given.logo_url) }),
    ...(given.metadata !== undefined && { metadata: readMetadata(given.metadata) }),
    ...(given.policies !== undefined && { policies: readPolicyChanges(given.policies) }),
  };
}

function readName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '' || [...name].length > MAX_NAME) {
    throw refuse(`name needs 1 to ${MAX_NAME} characters`, 'name_length');
  }
  if (UNFIT.test(name)) throw refuse('name has characters that cannot be shown', 'name_unfit');
  if (!VISIBLE.test(name)) throw refuse('name needs a character that can be seen', 'name_invisible');
  return name;
}

function readSlug(slug: string): string {
  if (!SLUG.test(slug)) {
    throw refuse('slug needs 3 to 63 of a to z, 0 to 9 and -, which is not first or last', 'slug_form');
  }
  if (RESERVED.has(slug)) throw refuse('slug is a reserved word', 'slug_reserved');
  if (readUuid(slug) !== null) throw refuse('slug has the form of an id', 'slug_like_id');
  return slug;
}

/** @returns null: none */
function readLogo(text: string): string | null {
  if (text === '') return null;
  if (text.length > MAX_LOGO_BYTES) throw refuse(`logo_url may have ${MAX_LOGO_BYTES} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw refuse('logo_url must be an https URL');
  }
  return url.href;
}

function readMetadata(metadata: Metadata): Metadata {
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw refuse(`metadata may have ${MAX_METADATA_BYTES} bytes as JSON`);
  }
  return metadata;
}

/** @returns slugs for a name, the preferred one first; each that is not the first has a number */
export function proposeSlugs(name: string): readonly string[] {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG - 8)
    .replace(/^-+|-+$/g, '');
  const base = SLUG.test(letters) ? letters : letters === '' ? 'organization' : `${letters}-organization`;
  const first = RESERVED.has(base) || readUuid(base) !== null ? [] : [base];
  const few = Array.from({ length: 8 }, (_, i) => `${base}-${i + 2}`);
  return [...first, ...few, `${base}-${randomInt(1000, 10_000)}`, `${base}-${randomInt(100_000, 10_000_000)}`];
}
