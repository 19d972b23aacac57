/** Whether an invitation still gives what it offers, for lists and pages that show no other. Accepting decides again. */
import type { OfferedInvitationRow } from '../../db/organization-invitations.js';
import type { RoleCatalog } from './role-catalog.js';
import {
  ADMINISTRATOR,
  assertAddressInvitable,
  assertKnownRoles,
  assertMayInviteWith,
  isAllowed,
  type Standing,
} from './rules.js';

/**
 * An invitation gives what the inviter may give now, not what the inviter might give then.
 * @param standing of the inviter
 * @throws ApiError roleNotFound, organizationPermissionMissing, ownersOnly
 */
export function assertStillGivable(catalog: RoleCatalog, standing: Standing, roles: readonly string[]): void {
  assertKnownRoles(catalog, roles);
  assertMayInviteWith(catalog, standing, roles);
}

const standingOfInviter = ({ invited_by: id, inviter_roles: roles }: OfferedInvitationRow): Standing =>
  id === null ? ADMINISTRATOR : { kind: 'member', roles: roles ?? [] };

/** Whether its roles exist, and its inviter may give them. */
export const isStillGivable = (catalog: RoleCatalog, row: OfferedInvitationRow): boolean =>
  isAllowed(() => assertStillGivable(catalog, standingOfInviter(row), row.roles));

/** Whether the address may join by it now. Nothing of an account counts, so that lists show nothing of it. */
export const isAcceptable = (catalog: RoleCatalog, row: OfferedInvitationRow): boolean =>
  isStillGivable(catalog, row) &&
  isAllowed(() => assertAddressInvitable(standingOfInviter(row), row.policies, row.email));
