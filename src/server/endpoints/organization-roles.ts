import { json } from '../http/types.js';
import { listRolesForMember } from '../organizations/list-roles.js';
import { defineEndpoint } from './shared/define.js';
import { organizationEndpoint, organizationErrors } from './shared/organization-docs.js';

const list = {
  type: 'object',
  properties: { roles: { type: 'array', items: { $ref: '#/components/schemas/GivableRole' } } },
  required: ['roles'],
};

export const getOrganizationRoles = defineEndpoint({
  ...organizationEndpoint,
  secondFactor: 'not asked',
  method: 'GET',
  path: '/organizations/{id}/roles',
  id: 'listOrganizationRoles',
  summary: 'Lists the roles that members may have, and which of them the caller may give (members:read).',
  answers: { 200: { description: 'The roles, built-in ones first.', body: list } },
  errors: organizationErrors,
  handler: async (app, { caller, params }) => json(await listRolesForMember(app, caller, params.id)),
});
