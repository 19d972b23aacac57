/** The organization that an identity provider belongs to, and what those get who join it by a sign-in there. */

import { within } from '../../db/rehearse.js';
import type { SsoProviderRow } from '../../db/sso-providers.js';
import type { Database, Statements } from '../../db/types.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { DEFAULT_ROLES } from './change-members.js';
import { allJoiningRoles, type GivenJoiningRoles, readJoiningRoles } from './joining-roles.js';
import {
  type Changer,
  keepRoles,
  type LockedOrganization,
  readOrganizationId,
  withLockedOrganization,
} from './locked-organization.js';
import { assertKnownRoles } from './rules.js';

/** The place of a provider. */
export type ProviderPlace = Pick<SsoProviderRow, 'organization_id' | 'roles' | 'role_mapping'>;

export interface GivenPlace extends GivenJoiningRoles {
  /** Empty: of none. */
  readonly organization_id?: string | undefined;
}

export const NO_ORGANIZATION: ProviderPlace = { organization_id: null, roles: DEFAULT_ROLES, role_mapping: [] };

/**
 * What is absent stays. A provider that leaves its organization gives no roles.
 * @param own organization that it belongs to, whatever is given; null: what is given counts
 * @throws ApiError organizationFieldInvalid, organizationNotFound
 */
export function readProviderPlace(own: string | null, before: ProviderPlace, given: GivenPlace): ProviderPlace {
  const organizationId = own ?? readGivenOrganization(before, given);
  if (organizationId !== null) return { organization_id: organizationId, ...readJoiningRoles(before, given) };
  if (given.roles !== undefined || given.role_mapping !== undefined) {
    throw apiError('organizationFieldInvalid', { reason: 'roles and role_mapping need an organization_id' });
  }
  return NO_ORGANIZATION;
}

function readGivenOrganization(before: ProviderPlace, { organization_id: given }: GivenPlace): string | null {
  if (given === undefined) return before.organization_id;
  return given === '' ? null : readOrganizationId(given);
}

/** For audit entries. */
export const traitsOfPlace = ({ organization_id }: ProviderPlace): { readonly organization_id?: string } =>
  organization_id === null ? {} : { organization_id };

/** In answers. Absent: it belongs to none. */
export const viewPlace = ({ organization_id, roles, role_mapping: mapping }: ProviderPlace) =>
  organization_id === null
    ? {}
    : {
        organization_id,
        roles,
        role_mapping: mapping.map((entry) => ({ attribute: entry.attribute, value: entry.value, roles: entry.roles })),
      };

/**
 * Writes a provider. That of an organization is written in a transaction that has locked it.
 * @param before null: it is new
 * @param write statements only
 * @param decide whether the changer may, once the organization is locked
 * @throws ApiError organizationsDisabled, organizationNotFound, roleNotFound, and what `decide` and `write` throw
 */
export function writeInPlace<Result>(
  app: App,
  changer: Changer,
  place: ProviderPlace,
  before: ProviderPlace | null,
  write: (db: Database) => Promise<Result>,
  decide: (statements: Statements, locked: LockedOrganization) => Promise<void> = async () => undefined,
): Promise<Result> {
  const { organization_id: organizationId } = place;
  const isSame = before?.organization_id === organizationId;
  // Organizations may have been switched off since.
  if (organizationId === null || (isSame && !app.config.organizationsEnabled)) return write(app.db);
  const former = before === null || !isSame ? [] : allJoiningRoles(before);
  const more = allJoiningRoles(place).filter((role) => !former.includes(role));
  return withLockedOrganization(app, changer, organizationId, null, async (statements, locked) => {
    assertKnownRoles(locked.catalog, more);
    await decide(statements, locked);
    await keepRoles(statements, more);
    return write(within(app.db, statements));
  });
}
