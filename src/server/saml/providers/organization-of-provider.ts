/** The organization that a provider belongs to, and what those get who join it by a sign-in there. */
import type { SsoProviderRow } from '../../../db/sso-providers.js';
import { apiError } from '../../errors.js';
import { DEFAULT_ROLES } from '../../organizations/change-members.js';
import { readJoiningRoles } from '../../organizations/joining-roles.js';
import { readOrganizationId } from '../../organizations/locked-organization.js';
import type { GivenProvider } from './provider-fields.js';
import type { ProviderManager } from './provider-manager.js';

/** The place of a provider. */
export type ProviderPlace = Pick<SsoProviderRow, 'organization_id' | 'roles' | 'role_mapping'>;

export const NO_ORGANIZATION: ProviderPlace = { organization_id: null, roles: DEFAULT_ROLES, role_mapping: [] };

/**
 * What is absent stays. A provider that leaves its organization gives no roles.
 * @throws ApiError ssoFieldInvalid, organizationFieldInvalid, organizationNotFound
 */
export function readProviderPlace(
  { organizationId: own }: Pick<ProviderManager, 'organizationId'>,
  before: ProviderPlace,
  given: GivenProvider,
): ProviderPlace {
  const organizationId = own ?? readGivenOrganization(before, given);
  if (organizationId !== null) return { organization_id: organizationId, ...readJoiningRoles(before, given) };
  if (given.roles !== undefined || given.role_mapping !== undefined) {
    throw apiError('ssoFieldInvalid', { reason: 'roles and role_mapping need an organization_id' });
  }
  return NO_ORGANIZATION;
}

function readGivenOrganization(before: ProviderPlace, { organization_id: given }: GivenProvider): string | null {
  if (given === undefined) return before.organization_id;
  return given === '' ? null : readOrganizationId(given);
}

/** For audit entries. */
export const traitsOfPlace = ({ organization_id }: ProviderPlace): { readonly organization_id?: string } =>
  organization_id === null ? {} : { organization_id };
