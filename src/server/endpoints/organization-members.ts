import { json, noContent } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { changeRoles, endMembership, readRoles } from '../organizations/change-members.js';
import { readOwnOrganization } from '../organizations/change-organization.js';
import { readMemberPage } from '../organizations/list-members.js';
import { changerOfUser } from '../organizations/locked-organization.js';
import { viewMember } from '../organizations/view-organization.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { memberListQuery, memberPage, organizationEndpoint, organizationErrors } from './shared/organization-docs.js';

const shared = { ...organizationEndpoint, secondFactor: 'not asked' } as const;

export const getOrganizationMembers = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/organizations/{id}/members',
  query: memberListQuery,
  id: 'listOrganizationMembers',
  summary: 'Lists members in the order in which they joined, or those that a search finds (members:read).',
  answers: memberPage,
  errors: [...organizationErrors, 'organizationFieldInvalid'],
  async handler(app, { caller, params, query }) {
    const { id } = await readOwnOrganization(app, caller, params.id, 'members:read');
    return json(await readMemberPage(app, id, query));
  },
});

export const patchOrganizationMember = defineEndpoint({
  ...shared,
  method: 'PATCH',
  path: '/organizations/{id}/members/{user_id}',
  secondFactor: 'asked',
  body: fields('roles'),
  id: 'updateOrganizationMember',
  summary:
    'Gives a member other roles (members:manage, and whatever the roles permit; a second factor to make an owner).',
  answers: ok('OrganizationMember', 'The member after the change.'),
  errors: [
    ...organizationErrors,
    'ownersOnly',
    'organizationFieldInvalid',
    'memberNotFound',
    'roleNotFound',
    'lastOwner',
    'tooManyOrganizations',
    ...accessGuardErrors,
  ],
  async handler(app, { id, caller, params, body }) {
    const changer = changerOfUser(caller, id);
    return json(viewMember(await changeRoles(app, changer, params.id, params.user_id, readRoles(body.roles))));
  },
});

export const deleteOrganizationMember = defineEndpoint({
  ...shared,
  method: 'DELETE',
  path: '/organizations/{id}/members/{user_id}',
  id: 'removeOrganizationMember',
  summary: 'Removes a member (members:manage); the caller itself leaves.',
  answers: { 204: { description: 'Removed.' } },
  errors: [...organizationErrors, 'ownersOnly', 'memberNotFound', 'lastOwner'],
  async handler(app, { id, caller, params }) {
    await endMembership(app, changerOfUser(caller, id), params.id, params.user_id);
    return noContent();
  },
});
