/** The roles that there are, for the members of an organization. */
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { readOwnOrganization } from './change-organization.js';
import { listInstallationRoles } from './installation-roles.js';
import { catalogOf } from './organizations-on.js';
import { assertMayGive, isAllowed, type Standing } from './rules.js';

/**
 * GET /organizations/{id}/roles: built-in ones first, each with whether the caller may give it to a member.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, and those of the policies
 */
export async function listRolesForMember(app: App, caller: UserCaller, pathId: string) {
  const own = await readOwnOrganization(app, caller, pathId, 'members:read');
  const catalog = catalogOf(app);
  const standing: Standing = { kind: 'member', roles: own.roles };
  const { roles } = await listInstallationRoles(app);
  return {
    roles: roles.map(({ name, description, permissions }) => ({
      name,
      description,
      permissions,
      may_give: isAllowed(() => assertMayGive(catalog, standing, [name])),
    })),
  };
}
