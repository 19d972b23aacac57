import { json, noContent } from '../http/types.js';
import { addForAdmin } from '../organizations/administer.js';
import { changeRoles, endMembership, readRoles } from '../organizations/change-members.js';
import { readOrganization } from '../organizations/change-organization.js';
import { readMemberPage } from '../organizations/list-members.js';
import { changerOfAdmin } from '../organizations/locked-organization.js';
import { viewMember } from '../organizations/view-organization.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { memberListQuery, memberPage, organizationAdminEndpoint } from './shared/organization-docs.js';

const all = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/members' } as const;
const one = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/members/{user_id}' } as const;
const found = ['organizationsDisabled', 'organizationNotFound'] as const;

export const getAdminOrganizationMembers = defineEndpoint({
  ...all,
  method: 'GET',
  query: memberListQuery,
  id: 'adminListOrganizationMembers',
  summary: 'Lists members in the order in which they joined, or those that a search finds.',
  answers: memberPage,
  errors: [...found, 'organizationFieldInvalid'],
  async handler(app, { params, query }) {
    const { id } = await readOrganization(app, params.id);
    return json(await readMemberPage(app, id, query));
  },
});

export const postAdminOrganizationMembers = defineEndpoint({
  ...all,
  method: 'POST',
  body: fields('user_id', 'roles'),
  id: 'adminAddOrganizationMember',
  summary: 'Adds a member, without an invitation.',
  answers: { 201: ok('OrganizationMember', 'The member.')[200]! },
  errors: [
    ...found,
    'userNotFound',
    'organizationFieldInvalid',
    'roleNotFound',
    'alreadyAMember',
    'tooManyMembers',
    'tooManyOrganizations',
  ],
  handler: async (app, { id, caller, params, body }) =>
    json(viewMember(await addForAdmin(app, id, caller, params.id, body)), 201),
});

export const patchAdminOrganizationMember = defineEndpoint({
  ...one,
  method: 'PATCH',
  body: fields('roles'),
  id: 'adminUpdateOrganizationMember',
  summary: 'Gives a member other roles.',
  answers: ok('OrganizationMember', 'The member after the change.'),
  errors: [...found, 'memberNotFound', 'organizationFieldInvalid', 'roleNotFound', 'lastOwner', 'tooManyOrganizations'],
  async handler(app, { id, caller, params, body }) {
    const changer = changerOfAdmin(caller, id);
    return json(viewMember(await changeRoles(app, changer, params.id, params.user_id, readRoles(body.roles))));
  },
});

export const deleteAdminOrganizationMember = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminRemoveOrganizationMember',
  summary: 'Removes a member.',
  answers: { 204: { description: 'Removed.' } },
  errors: [...found, 'memberNotFound', 'lastOwner'],
  async handler(app, { id, caller, params }) {
    await endMembership(app, changerOfAdmin(caller, id), params.id, params.user_id);
    return noContent();
  },
});
