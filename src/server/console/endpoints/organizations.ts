import { readUser } from '../../admin/change-user.js';
import { allFields } from '../../endpoints/shared/fields.js';
import {
  createForAdmin,
  listForAdmin,
  listOfUserForAdmin,
  readAdminChanges,
  viewForAdmin,
} from '../../organizations/administer.js';
import { changeOrganization, deleteOrganization, readOrganization } from '../../organizations/change-organization.js';
import { changerOfAdmin } from '../../organizations/locked-organization.js';
import { assertOrganizationsOn } from '../../organizations/organizations-on.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import type { OperatorCaller } from '../operator.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { done, errorsOfUser } from './user.js';
import { listQuery } from './users.js';

/** Of each endpoint about organizations. */
export const ofOrganizations = { assertOn: assertOrganizationsOn, tag: 'Organizations' } as const;
/** Errors of each endpoint about one organization. */
export const errorsOfOrganization = ['organizationsDisabled', 'organizationNotFound'] as const;

/** An operator as the rules of organizations take one. */
export const changerOf = (request: Parameters<typeof deedOf>[0]) =>
  changerOfAdmin(asAdministrator(deedOf(request)), request.id);

/** One who only reads, without a reason. */
export const changerReading = ({ id, caller }: { readonly id: string; readonly caller: OperatorCaller }) =>
  changerOf({ id, caller, body: undefined });

const many = { ...ofOrganizations, path: '/api/organizations' } as const;
const one = { ...ofOrganizations, path: '/api/organizations/{organization_id}' } as const;
const organization = { $ref: '#/components/schemas/AdminOrganization' } as const;
const givenFields = {
  name: allFields.name,
  slug: allFields.slug,
  logo_url: allFields.logo_url,
  metadata: allFields.metadata,
  max_members: allFields.max_members,
};

export const getConsoleOrganizations = defineConsole({
  ...many,
  method: 'GET',
  role: 'viewer',
  query: { ...listQuery, search: textField('Only those whose slug or name begins so.') },
  id: 'searchOrganizations',
  summary: 'Lists organizations, newest first, or those that a search finds.',
  answer: {
    description: 'A page.',
    body: objectOf({ organizations: listOf(organization), next_cursor: orNull('string') }),
  },
  errors: ['organizationsDisabled', 'organizationFieldInvalid'],
  handler: async (app, { query }) => ({ status: 200, body: await listForAdmin(app, query) }),
});

export const postConsoleOrganization = defineConsole({
  ...many,
  method: 'POST',
  role: 'admin',
  body: consoleBody({ ...givenFields, owner_id: allFields.owner_id, ...reasonField }, 'name', 'owner_id'),
  id: 'createOrganization',
  summary: 'Creates an organization with its owner.',
  answer: { status: 201, description: 'The organization.', body: organization },
  errors: [
    'organizationsDisabled',
    'organizationCreationDisabled',
    'userNotFound',
    'organizationFieldInvalid',
    'organizationSlugTaken',
    'tooManyOrganizations',
  ],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const row = await createForAdmin(app, request.id, asAdministrator(deedOf(request)), given);
    return { status: 201, body: viewForAdmin(row) };
  },
});

export const getConsoleOrganization = defineConsole({
  ...one,
  method: 'GET',
  role: 'viewer',
  id: 'readOrganization',
  summary: 'Returns an organization.',
  answer: { description: 'The organization.', body: organization },
  errors: errorsOfOrganization,
  handler: async (app, { params }) => ({
    status: 200,
    body: viewForAdmin(await readOrganization(app, params.organization_id)),
  }),
});

export const putConsoleOrganization = defineConsole({
  ...one,
  method: 'PUT',
  role: 'support',
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeOrganization',
  summary: 'Changes an organization; fields that are absent stay.',
  answer: { description: 'The organization.', body: organization },
  errors: [...errorsOfOrganization, 'organizationFieldInvalid', 'organizationSlugTaken'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const changes = readAdminChanges(given);
    const row = await changeOrganization(app, changerOf(request), request.params.organization_id, changes);
    return { status: 200, body: viewForAdmin(row) };
  },
});

/** What they demand protects the organization, so that it takes a higher role than the rest. */
export const putConsoleOrganizationPolicies = defineConsole({
  ...one,
  method: 'PUT',
  path: '/api/organizations/{organization_id}/policies',
  role: 'admin',
  body: consoleBody({ policies: allFields.policies, ...reasonField }, 'policies'),
  id: 'changeOrganizationPolicies',
  summary: 'Changes what an organization demands of the sessions that act for it.',
  answer: { description: 'The organization.', body: organization },
  errors: [...errorsOfOrganization, 'organizationFieldInvalid'],
  async handler(app, request) {
    const changes = readAdminChanges({ policies: request.body.policies });
    const row = await changeOrganization(app, changerOf(request), request.params.organization_id, changes);
    return { status: 200, body: viewForAdmin(row) };
  },
});

export const deleteConsoleOrganization = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'deleteOrganization',
  summary: 'Deletes an organization. Accounts stay.',
  answer: done,
  errors: errorsOfOrganization,
  async handler(app, request) {
    await deleteOrganization(app, changerOf(request), request.params.organization_id);
    return { status: 204 };
  },
});

export const getConsoleUserOrganizations = defineConsole({
  ...ofOrganizations,
  method: 'GET',
  path: '/api/users/{user_id}/organizations',
  role: 'viewer',
  query: listQuery,
  id: 'listUserOrganizations',
  summary: 'Lists the organizations of a user, the newest membership first.',
  answer: {
    description: 'A page.',
    body: objectOf({
      organizations: listOf({ $ref: '#/components/schemas/UserOrganization' }),
      next_cursor: orNull('string'),
    }),
  },
  errors: ['organizationsDisabled', 'organizationFieldInvalid', ...errorsOfUser],
  async handler(app, { params, query }) {
    const { id } = await readUser(app, params.user_id);
    return { status: 200, body: await listOfUserForAdmin(app, id, query) };
  },
});
