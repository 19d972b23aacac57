import { json, noContent } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import {
  changeOrganization,
  deleteOwnOrganization,
  readOwnOrganization,
} from '../organizations/change-organization.js';
import { changerOfUser } from '../organizations/locked-organization.js';
import { readOrganizationFields } from '../organizations/organization-fields.js';
import { viewOrganization } from '../organizations/view-organization.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationErrors } from './shared/organization-docs.js';

const shared = { ...organizationEndpoint, path: '/organizations/{id}' } as const;

export const getOrganization = defineEndpoint({
  ...shared,
  method: 'GET',
  secondFactor: 'not asked',
  id: 'getOrganization',
  summary: 'Returns an organization of the caller (organization:read).',
  answers: ok('Organization', 'The organization.'),
  errors: organizationErrors,
  handler: async (app, { caller, params }) =>
    json(viewOrganization(await readOwnOrganization(app, caller, params.id, 'organization:read'))),
});

export const patchOrganization = defineEndpoint({
  ...shared,
  method: 'PATCH',
  secondFactor: 'asked',
  body: fields('name', 'slug', 'logo_url', 'metadata', 'policies'),
  id: 'updateOrganization',
  summary: 'Changes an organization (organization:manage); fields that are absent stay.',
  answers: ok('Organization', 'The organization after the change.'),
  errors: [
    ...organizationErrors,
    'organizationFieldInvalid',
    'organizationSlugTaken',
    'organizationPolicyUnmet',
    ...accessGuardErrors,
  ],
  async handler(app, { id, caller, params, body }) {
    const changes = readOrganizationFields(body);
    return json(viewOrganization(await changeOrganization(app, changerOfUser(caller, id), params.id, changes)));
  },
});

export const deleteOrganizationEndpoint = defineEndpoint({
  ...shared,
  method: 'DELETE',
  secondFactor: 'asked',
  body: fields('slug'),
  bodyOptional: true,
  id: 'deleteOrganization',
  summary: 'Deletes an organization whose slug the body repeats (organization:delete). Accounts stay.',
  answers: { 204: { description: 'Deleted.' } },
  errors: [...organizationErrors, 'organizationFieldInvalid', ...accessGuardErrors],
  async handler(app, { id, caller, params, body }) {
    await deleteOwnOrganization(app, id, caller, params.id, body.slug);
    return noContent();
  },
});
