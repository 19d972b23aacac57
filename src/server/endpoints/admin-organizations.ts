import { readUser } from '../admin/change-user.js';
import { json, noContent } from '../http/types.js';
import {
  createForAdmin,
  listForAdmin,
  listOfUserForAdmin,
  readAdminChanges,
  viewForAdmin,
} from '../organizations/administer.js';
import { changeOrganization, deleteOrganization, readOrganization } from '../organizations/change-organization.js';
import { changerOfAdmin } from '../organizations/locked-organization.js';
import { defineEndpoint } from './shared/define.js';
import { ok, text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { organizationAdminEndpoint, organizationListQuery, organizationPage } from './shared/organization-docs.js';

const all = { ...organizationAdminEndpoint, path: '/admin/organizations' } as const;
const one = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}' } as const;
const found = ['organizationsDisabled', 'organizationNotFound'] as const;

export const getAdminOrganizations = defineEndpoint({
  ...all,
  method: 'GET',
  query: { search: text('Only those whose slug or name begins so.'), ...organizationListQuery },
  id: 'adminListOrganizations',
  summary: 'Lists organizations, newest first, or those that a search finds.',
  answers: organizationPage('organizations', 'AdminOrganization', 'The organizations.'),
  errors: ['organizationsDisabled', 'organizationFieldInvalid'],
  handler: async (app, { query }) => json(await listForAdmin(app, query)),
});

export const postAdminOrganizations = defineEndpoint({
  ...all,
  method: 'POST',
  body: fields('name', 'slug', 'logo_url', 'metadata', 'owner_id', 'max_members'),
  id: 'adminCreateOrganization',
  summary: 'Creates an organization with its owner.',
  answers: { 201: ok('AdminOrganization', 'The organization.')[200]! },
  errors: [
    'organizationsDisabled',
    'organizationCreationDisabled',
    'userNotFound',
    'organizationFieldInvalid',
    'organizationSlugTaken',
    'tooManyOrganizations',
  ],
  handler: async (app, { id, caller, body }) => json(viewForAdmin(await createForAdmin(app, id, caller, body)), 201),
});

export const getAdminOrganization = defineEndpoint({
  ...one,
  method: 'GET',
  id: 'adminGetOrganization',
  summary: 'Returns an organization.',
  answers: ok('AdminOrganization', 'The organization.'),
  errors: found,
  handler: async (app, { params }) => json(viewForAdmin(await readOrganization(app, params.id))),
});

export const putAdminOrganization = defineEndpoint({
  ...one,
  method: 'PUT',
  body: fields('name', 'slug', 'logo_url', 'metadata', 'policies', 'max_members'),
  id: 'adminUpdateOrganization',
  summary: 'Changes an organization; fields that are absent stay.',
  answers: ok('AdminOrganization', 'The organization after the change.'),
  errors: [...found, 'organizationFieldInvalid', 'organizationSlugTaken'],
  async handler(app, { id, caller, params, body }) {
    const changer = changerOfAdmin(caller, id);
    return json(viewForAdmin(await changeOrganization(app, changer, params.id, readAdminChanges(body))));
  },
});

export const deleteAdminOrganization = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminDeleteOrganization',
  summary: 'Deletes an organization. Accounts stay.',
  answers: { 204: { description: 'Deleted.' } },
  errors: found,
  async handler(app, { id, caller, params }) {
    await deleteOrganization(app, changerOfAdmin(caller, id), params.id);
    return noContent();
  },
});

export const getAdminUserOrganizations = defineEndpoint({
  ...organizationAdminEndpoint,
  method: 'GET',
  path: '/admin/users/{user_id}/organizations',
  query: organizationListQuery,
  id: 'adminListUserOrganizations',
  summary: 'Lists the organizations of a user, the newest membership first.',
  answers: organizationPage('organizations', 'UserOrganization', 'The organizations, with the roles of the user.'),
  errors: ['organizationsDisabled', 'userIdNotUuid', 'userNotFound', 'organizationFieldInvalid'],
  async handler(app, { params, query }) {
    const { id } = await readUser(app, params.user_id);
    return json(await listOfUserForAdmin(app, id, query));
  },
});
