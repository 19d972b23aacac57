import { json } from '../http/types.js';
import { createOrganization } from '../organizations/create-organization.js';
import { listOwnOrganizations } from '../organizations/list-organizations.js';
import { viewOrganization } from '../organizations/view-organization.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationEndpoint, organizationListQuery, organizationPage } from './shared/organization-docs.js';

const shared = { ...organizationEndpoint, path: '/organizations', secondFactor: 'not asked' } as const;

export const postOrganizations = defineEndpoint({
  ...shared,
  method: 'POST',
  limit: 'organizations',
  body: fields('name', 'slug', 'logo_url', 'metadata'),
  id: 'createOrganization',
  summary: 'Creates an organization, whose owner the caller becomes.',
  answers: { 201: ok('Organization', 'The organization.')[200]! },
  errors: [
    'organizationsDisabled',
    'organizationCreationDisabled',
    'organizationFieldInvalid',
    'organizationSlugTaken',
    'tooManyOrganizations',
  ],
  handler: async (app, { id, caller, body }) =>
    json(viewOrganization(await createOrganization(app, id, caller, body)), 201),
});

export const getOrganizations = defineEndpoint({
  ...shared,
  method: 'GET',
  query: organizationListQuery,
  id: 'listOrganizations',
  summary: 'Lists the organizations of the caller, the newest membership first.',
  answers: organizationPage('organizations', 'OwnOrganization', 'The organizations, with the roles of the caller.'),
  errors: ['organizationsDisabled', 'organizationFieldInvalid'],
  handler: async (app, { caller, query }) => json(await listOwnOrganizations(app, caller, query)),
});
