/** Which roles of an organization the members of a group get: said by its members, not by the identity provider. */
import {
  listScimGroupRoles,
  putScimGroupRoles,
  removeScimGroupRoles,
  renewRolesOfScimGroup,
  type ScimGroupRoles,
} from '../../db/scim-groups.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { assertMayChangeAccess } from '../organizations/access-guard.js';
import { readRoles } from '../organizations/change-members.js';
import { readOwnOrganization } from '../organizations/change-organization.js';
import { changerOfUser, keepRoles, withLockedOrganization } from '../organizations/locked-organization.js';
import { OWNER } from '../organizations/role-catalog.js';
import { assertKnownRoles, assertMayProvision } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';

const MAX_MAPPED = 200;
const MAX_NAME = 255;

/** By name. @throws ApiError organizationNotFound, organizationPermissionMissing */
export async function readGroupRoles(app: App, caller: UserCaller, pathId: string): Promise<readonly ScimGroupRoles[]> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'scim:manage');
  return listScimGroupRoles(app.db, id);
}

/**
 * No one gives more than he has, and no group makes owners. No roles remove what is there: a name with a slash fits in no path.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid, roleNotFound, tooManyGroupRoles, groupRolesNotFound,
 *   aalForOrganization, stepUpRequired, sessionNotFound
 */
export async function putGroupRoles(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  given: { readonly group?: string | undefined; readonly roles?: readonly string[] | undefined },
): Promise<ScimGroupRoles> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'scim:manage');
  await assertMayChangeAccess(app, caller);
  const group = given.group?.trim() ?? '';
  if (group === '' || group.length > MAX_NAME) throw refuse(`group needs 1 to ${MAX_NAME} characters`);
  if (given.roles?.length === 0) {
    await removeGroupRoles(app, requestId, caller, pathId, group);
    return { group, roles: [] };
  }
  const roles = readRoles(given.roles);
  if (roles.includes(OWNER)) throw refuse('no one becomes an owner by a group');
  const audit = [auditEntry(caller.user, 'scim_group_roles_changed', { organization_id: id, group, roles })];
  const written = await withLockedOrganization(
    app,
    changerOfUser(caller, requestId),
    id,
    null,
    async (statements, { catalog, standing }) => {
      assertKnownRoles(catalog, roles);
      assertMayProvision(catalog, standing, roles);
      await keepRoles(statements, roles);
      const row = await putScimGroupRoles(statements, id, { group, roles }, MAX_MAPPED, storedAudit(app, audit));
      if (row !== undefined) await renewRolesOfScimGroup(statements, id, group);
      return row;
    },
  );
  if (written === undefined) throw apiError('tooManyGroupRoles', { limit: MAX_MAPPED });
  logAudit(app, requestId, audit);
  return written;
}

/** @throws ApiError organizationNotFound, organizationPermissionMissing, groupRolesNotFound */
export async function removeGroupRoles(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  group: string,
): Promise<void> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'scim:manage');
  const audit = [auditEntry(caller.user, 'scim_group_roles_changed', { organization_id: id, group, roles: [] })];
  const isGone = await withLockedOrganization(
    app,
    changerOfUser(caller, requestId),
    id,
    null,
    async (statements, { catalog, standing }) => {
      assertMayProvision(catalog, standing, []);
      const isRemoved = await removeScimGroupRoles(statements, id, group, storedAudit(app, audit));
      await renewRolesOfScimGroup(statements, id, group);
      return isRemoved;
    },
  );
  if (!isGone) throw apiError('groupRolesNotFound');
  logAudit(app, requestId, audit);
}

const refuse = (reason: string) => apiError('organizationFieldInvalid', { reason });
