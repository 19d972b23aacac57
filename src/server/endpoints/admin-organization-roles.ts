import { json, noContent } from '../http/types.js';
import {
  changeInstallationRole,
  createRole,
  deleteRole,
  listInstallationRoles,
} from '../organizations/installation-roles.js';
import { defineEndpoint } from './shared/define.js';
import { ok, text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationAdminEndpoint } from './shared/organization-docs.js';

const all = { ...organizationAdminEndpoint, path: '/admin/organization-roles' } as const;
const one = { ...organizationAdminEndpoint, path: '/admin/organization-roles/{name}' } as const;

const list = {
  type: 'object',
  properties: { roles: { type: 'array', items: { $ref: '#/components/schemas/OrganizationRole' } } },
  required: ['roles'],
};

export const getAdminOrganizationRoles = defineEndpoint({
  ...all,
  method: 'GET',
  id: 'adminListOrganizationRoles',
  summary: 'Lists the roles of organizations, built-in ones first.',
  answers: { 200: { description: 'The roles.', body: list } },
  errors: ['organizationsDisabled'],
  handler: async (app) => json(await listInstallationRoles(app)),
});

export const postAdminOrganizationRoles = defineEndpoint({
  ...all,
  method: 'POST',
  body: fields('name', 'description', 'permissions'),
  id: 'adminCreateOrganizationRole',
  summary: 'Adds a role, which all organizations have from then on.',
  answers: { 201: ok('OrganizationRole', 'The role.')[200]! },
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleExists'],
  handler: async (app, { id, caller, body }) => json(await createRole(app, id, caller, body), 201),
});

export const putAdminOrganizationRole = defineEndpoint({
  ...one,
  method: 'PUT',
  body: fields('description', 'permissions'),
  id: 'adminUpdateOrganizationRole',
  summary: 'Changes a role; fields that are absent stay. admin and member keep what they are built to permit.',
  answers: ok('OrganizationRole', 'The role after the change.'),
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleNotFound'],
  handler: async (app, { id, caller, params, body }) =>
    json(await changeInstallationRole(app, id, caller, params.name, body)),
});

export const deleteAdminOrganizationRole = defineEndpoint({
  ...one,
  method: 'DELETE',
  query: { replace_with: text('The role that members get in its place.') },
  id: 'adminDeleteOrganizationRole',
  summary: 'Removes a role that is not in use, or that replace_with takes the place of.',
  answers: { 204: { description: 'Removed.' } },
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleNotFound', 'roleInUse'],
  async handler(app, { id, caller, params, query }) {
    await deleteRole(app, id, caller, params.name, query.get('replace_with') || undefined);
    return noContent();
  },
});
