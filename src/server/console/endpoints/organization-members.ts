import { allFields } from '../../endpoints/shared/fields.js';
import { addForAdmin } from '../../organizations/administer.js';
import { changeRoles, endMembership, readRoles } from '../../organizations/change-members.js';
import { readOrganization } from '../../organizations/change-organization.js';
import { readMemberPage } from '../../organizations/list-members.js';
import { viewMember } from '../../organizations/view-organization.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { changerOf, errorsOfOrganization, ofOrganizations } from './organizations.js';
import { done } from './user.js';
import { listQuery } from './users.js';

const all = { ...ofOrganizations, path: '/api/organizations/{organization_id}/members' } as const;
const one = { ...ofOrganizations, path: '/api/organizations/{organization_id}/members/{user_id}' } as const;
const member = { $ref: '#/components/schemas/OrganizationMember' } as const;

export const getConsoleOrganizationMembers = defineConsole({
  ...all,
  method: 'GET',
  role: 'viewer',
  query: {
    ...listQuery,
    search: textField('Only members whose address, number or name begins so.'),
    role: textField('Only members with this role.'),
  },
  id: 'listOrganizationMembers',
  summary: 'Lists members in the order in which they joined, or those that a search finds.',
  answer: { description: 'A page.', body: objectOf({ members: listOf(member), next_cursor: orNull('string') }) },
  errors: [...errorsOfOrganization, 'organizationFieldInvalid'],
  async handler(app, { params, query }) {
    const { id } = await readOrganization(app, params.organization_id);
    return { status: 200, body: await readMemberPage(app, id, query) };
  },
});

export const postConsoleOrganizationMember = defineConsole({
  ...all,
  method: 'POST',
  role: 'support',
  body: consoleBody({ user_id: textField('Id of the user.'), roles: allFields.roles, ...reasonField }, 'user_id'),
  id: 'addOrganizationMember',
  summary: 'Adds a member, without an invitation.',
  answer: { status: 201, description: 'The member.', body: member },
  errors: [
    ...errorsOfOrganization,
    'userNotFound',
    'organizationFieldInvalid',
    'roleNotFound',
    'alreadyAMember',
    'tooManyMembers',
    'tooManyOrganizations',
  ],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const admin = asAdministrator(deedOf(request));
    const row = await addForAdmin(app, request.id, admin, request.params.organization_id, given);
    return { status: 201, body: viewMember(row) };
  },
});

export const putConsoleOrganizationMember = defineConsole({
  ...one,
  method: 'PUT',
  role: 'support',
  body: consoleBody({ roles: allFields.roles, ...reasonField }, 'roles'),
  id: 'changeOrganizationMember',
  summary: 'Gives a member other roles.',
  answer: { description: 'The member.', body: member },
  errors: [
    ...errorsOfOrganization,
    'memberNotFound',
    'organizationFieldInvalid',
    'roleNotFound',
    'lastOwner',
    'tooManyOrganizations',
  ],
  async handler(app, request) {
    const { organization_id, user_id } = request.params;
    const row = await changeRoles(app, changerOf(request), organization_id, user_id, readRoles(request.body.roles));
    return { status: 200, body: viewMember(row) };
  },
});

export const deleteConsoleOrganizationMember = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'removeOrganizationMember',
  summary: 'Removes a member. The account stays.',
  answer: done,
  errors: [...errorsOfOrganization, 'memberNotFound', 'lastOwner'],
  async handler(app, request) {
    await endMembership(app, changerOf(request), request.params.organization_id, request.params.user_id);
    return { status: 204 };
  },
});
