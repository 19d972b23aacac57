import { json, noContent } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { assertOrganizationsOn } from '../organizations/organizations-on.js';
import type { App } from '../runtime/app.js';
import { putGroupRoles, readGroupRoles, removeGroupRoles } from '../scim/group-roles.js';
import { assertScimOn } from '../scim/scim-on.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors } from './shared/organization-docs.js';

const shared = {
  ...organizationEndpoint,
  path: '/organizations/{id}/scim_group_roles',
  assertOn(app: App): void {
    assertOrganizationsOn(app);
    assertScimOn(app);
  },
} as const;
const errors = [...organizationErrors, 'scimDisabled'] as const;

export const getOrganizationScimGroupRoles = defineEndpoint({
  ...shared,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'listOrganizationScimGroupRoles',
  summary: 'Lists the roles that members of provisioned groups get, by name of the group (scim:manage).',
  answers: ok('ScimGroupRolesList', 'Groups and their roles.'),
  errors,
  handler: async (app, { caller, params }) => json({ group_roles: await readGroupRoles(app, caller, params.id) }),
});

export const putOrganizationScimGroupRoles = defineEndpoint({
  ...shared,
  method: 'PUT',
  secondFactor: 'asked',
  limit: 'organizations',
  body: fields('group', 'roles'),
  id: 'putOrganizationScimGroupRoles',
  summary:
    'Says which roles the members of a group get (scim:manage, and whatever the roles permit). None: as removing them, for names that fit in no path.',
  answers: ok('ScimGroupRoles', 'The group and its roles.'),
  errors: [
    ...errors,
    'ownersOnly',
    'organizationFieldInvalid',
    'roleNotFound',
    'tooManyGroupRoles',
    'groupRolesNotFound',
    ...accessGuardErrors,
  ],
  handler: async (app, { id, caller, params, body }) => json(await putGroupRoles(app, id, caller, params.id, body)),
});

export const deleteOrganizationScimGroupRoles = defineEndpoint({
  ...shared,
  method: 'DELETE',
  secondFactor: 'not asked',
  path: '/organizations/{id}/scim_group_roles/{group}',
  id: 'deleteOrganizationScimGroupRoles',
  summary: 'Members of the group have no roles by it any more (scim:manage).',
  answers: { 204: { description: 'Removed.' } },
  errors: [...errors, 'groupRolesNotFound'],
  async handler(app, { id, caller, params }) {
    await removeGroupRoles(app, id, caller, params.id, params.group);
    return noContent();
  },
});
