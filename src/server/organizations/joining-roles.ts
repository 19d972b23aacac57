/** The roles of those who join an organization by a sign-in, as its identity provider has them. */
import type { MappedRoles } from '../../db/sso-providers.js';
import { readRoles } from './change-members.js';
import { fieldError as refuse } from './field-error.js';
import type { Joining } from './join-at-sign-in.js';
import { OWNER } from './role-catalog.js';

/** Of an identity provider. */
export interface JoiningRoles {
  /** Of those of whom no attribute says more. Sorted. */
  readonly roles: readonly string[];
  readonly role_mapping: readonly MappedRoles[];
}

/** As they came; undefined: absent. */
export interface GivenJoiningRoles {
  readonly roles?: readonly string[] | undefined;
  readonly role_mapping?:
    | readonly { readonly attribute?: unknown; readonly value?: unknown; readonly roles?: unknown }[]
    | undefined;
}

const MAX_MAPPED = 100;
const MAX_TEXT = 512;

/**
 * What is absent stays.
 * @throws ApiError organizationFieldInvalid
 */
export function readJoiningRoles(before: JoiningRoles, given: GivenJoiningRoles): JoiningRoles {
  const { roles, role_mapping: mapping } = given;
  if (mapping !== undefined && mapping.length > MAX_MAPPED) {
    throw refuse(`role_mapping may have ${MAX_MAPPED} entries`);
  }
  return {
    roles: roles === undefined ? before.roles : readGivable(roles),
    role_mapping: mapping === undefined ? before.role_mapping : mapping.map(readMapped),
  };
}

function readMapped({ attribute, value, roles }: NonNullable<GivenJoiningRoles['role_mapping']>[number]): MappedRoles {
  if (!isText(attribute) || !isText(value)) throw refuse('an entry of role_mapping needs an attribute and a value');
  if (!Array.isArray(roles) || !roles.every(isText)) throw refuse('an entry of role_mapping needs roles');
  return { attribute, value, roles: readGivable(roles) };
}

const isText = (text: unknown): text is string => typeof text === 'string' && text !== '' && text.length <= MAX_TEXT;

/** What another server says makes no owner: only owners do. */
function readGivable(given: readonly string[]): readonly string[] {
  const roles = readRoles(given);
  if (roles.includes(OWNER)) throw refuse('no one becomes an owner by a sign-in', 'owner_by_rule');
  return roles;
}

/** All that it may give, each once. */
export const allJoiningRoles = ({ roles, role_mapping: mapping }: JoiningRoles): readonly string[] => [
  ...new Set([...roles, ...mapping.flatMap((entry) => entry.roles)]),
];

/**
 * What the sign-in of a person says about the membership.
 * @param given of the identity provider
 * @param valuesOf the values of an attribute, as the identity provider said them
 */
export const joiningBy = (
  organizationId: string,
  given: JoiningRoles,
  valuesOf: (attribute: string) => readonly string[],
): Joining => ({
  organizationId,
  roles: rolesOfPerson(given, valuesOf),
  followsRoles: given.role_mapping.length > 0,
});

/**
 * The roles of a person.
 * @param valuesOf the values of an attribute, as the identity provider said them
 * @returns sorted
 */
export function rolesOfPerson(
  { roles, role_mapping: mapping }: JoiningRoles,
  valuesOf: (attribute: string) => readonly string[],
): readonly string[] {
  const said = mapping.filter(({ attribute, value }) => valuesOf(attribute).includes(value));
  return said.length === 0 ? roles : [...new Set(said.flatMap((entry) => entry.roles))].sort();
}
