import { allFields } from '../../endpoints/shared/fields.js';
import {
  changeInstallationRole,
  createRole,
  deleteRole,
  listInstallationRoles,
} from '../../organizations/installation-roles.js';
import { BUILT_IN_PERMISSIONS } from '../../organizations/role-catalog.js';
import { consoleBody, defineConsole, listOf, objectOf, reasonField, textField } from '../define-console.js';
import { asAdministrator, deedOf } from '../operator-audit.js';
import { ofOrganizations } from './organizations.js';
import { done } from './user.js';

const all = { ...ofOrganizations, path: '/api/organization-roles' } as const;
const one = { ...ofOrganizations, path: '/api/organization-roles/{name}' } as const;
const role = { $ref: '#/components/schemas/OrganizationRole' } as const;
const givenFields = { description: textField('Note for people.'), permissions: allFields.permissions };

export const getConsoleOrganizationRoles = defineConsole({
  ...all,
  method: 'GET',
  role: 'viewer',
  id: 'listOrganizationRoles',
  summary: 'Lists the roles of organizations, built-in ones first, and the permissions that the server checks itself.',
  answer: {
    description: 'All.',
    body: objectOf({ roles: listOf(role), known_permissions: listOf({ type: 'string' }) }),
  },
  errors: ['organizationsDisabled'],
  async handler(app) {
    const { roles } = await listInstallationRoles(app);
    return { status: 200, body: { roles, known_permissions: BUILT_IN_PERMISSIONS } };
  },
});

export const postConsoleOrganizationRole = defineConsole({
  ...all,
  method: 'POST',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ name: textField('Name of the role.'), ...givenFields, ...reasonField }, 'name'),
  id: 'createOrganizationRole',
  summary: 'Adds a role, which all organizations have from then on.',
  answer: { status: 201, description: 'The role.', body: role },
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleExists'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    return { status: 201, body: await createRole(app, request.id, asAdministrator(deedOf(request)), given) };
  },
});

export const putConsoleOrganizationRole = defineConsole({
  ...one,
  method: 'PUT',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeOrganizationRole',
  summary: 'Changes a role; fields that are absent stay. admin and member keep what they are built to permit.',
  answer: { description: 'The role.', body: role },
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleNotFound'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const admin = asAdministrator(deedOf(request));
    return { status: 200, body: await changeInstallationRole(app, request.id, admin, request.params.name, given) };
  },
});

export const deleteConsoleOrganizationRole = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ replace_with: textField('The role that members get in its place.'), ...reasonField }),
  bodyOptional: true,
  id: 'deleteOrganizationRole',
  summary: 'Removes a role that is not in use, or that replace_with takes the place of.',
  answer: done,
  errors: ['organizationsDisabled', 'organizationFieldInvalid', 'roleNotFound', 'roleInUse'],
  async handler(app, request) {
    const admin = asAdministrator(deedOf(request));
    const other = request.body?.replace_with || undefined;
    await deleteRole(app, request.id, admin, request.params.name, other);
    return { status: 204 };
  },
});
