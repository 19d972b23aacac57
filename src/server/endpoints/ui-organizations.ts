import { accessGuardErrors } from '../organizations/access-guard.js';
import { organizationDomainsPage, submitDomains } from '../pages/organizations/organization-domains-page.js';
import {
  organizationInvitationsPage,
  submitInvitations,
} from '../pages/organizations/organization-invitations-page.js';
import { organizationMembersPage, submitMembers } from '../pages/organizations/organization-members-page.js';
import { organizationOverview, submitOrganization } from '../pages/organizations/organization-overview.js';
import { organizationsPage, submitOrganizations } from '../pages/organizations/organizations-section.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';
import { fields } from './shared/fields.js';
import { policyErrors } from './shared/organization-docs.js';
import { answerForm } from './shared/page.js';
import { accountErrors, accountFormErrors, accountQuery, formEndpoint, shownPage } from './shared/page-definition.js';

export const pagedListQuery = {
  ...accountQuery,
  cursor: text('Where the list goes on; without it, from the beginning.'),
} as const;
export const pagedListErrors = [...accountErrors, 'organizationFieldInvalid'] as const;
/** Of the forms of one organization. One that the person is no member of leads to the list. */
export const memberFormErrors = [...accountFormErrors, 'organizationPermissionMissing', ...policyErrors] as const;

export const getUiOrganizations = defineEndpoint({
  ...shownPage(organizationsPage),
  path: '/ui/account/organizations',
  query: pagedListQuery,
  id: 'showOrganizations',
  summary: 'The organizations of the person, where AUTH_ORGANIZATIONS_ENABLED is on.',
  errors: pagedListErrors,
});

export const postUiOrganizations = defineEndpoint({
  ...formEndpoint(organizationsPage),
  path: '/ui/account/organizations',
  limit: ({ body }) => (body.action === 'create' ? 'organizations' : 'user'),
  body: fields('form_token', 'action', 'entry_id', 'name', 'slug'),
  id: 'submitOrganizations',
  summary: 'Creates an organization, or makes one the active one of the session of this browser.',
  errors: [
    ...accountFormErrors,
    'organizationCreationDisabled',
    'organizationFieldInvalid',
    'organizationSlugTaken',
    'tooManyOrganizations',
    'organizationNotFound',
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitOrganizations(visit, request.body)),
});

export const getUiOrganization = defineEndpoint({
  ...shownPage(organizationOverview),
  path: '/ui/account/organizations/{id}',
  query: accountQuery,
  id: 'showOrganization',
  summary: 'An organization of the person.',
  errors: accountErrors,
});

export const postUiOrganization = defineEndpoint({
  ...formEndpoint(organizationOverview),
  path: '/ui/account/organizations/{id}',
  limit: 'user',
  body: fields('form_token', 'action', 'name', 'slug'),
  id: 'submitOrganization',
  summary: 'Changes, leaves or deletes an organization.',
  errors: [...memberFormErrors, 'organizationFieldInvalid', 'organizationSlugTaken', 'lastOwner', ...accessGuardErrors],
  handler: (app, request) => answerForm(app, request, (visit) => submitOrganization(visit, request.body)),
});

export const getUiOrganizationMembers = defineEndpoint({
  ...shownPage(organizationMembersPage),
  path: '/ui/account/organizations/{id}/members',
  query: { ...pagedListQuery, search: text('Only members whose address, number or name begins so.') },
  id: 'showOrganizationMembers',
  summary: 'The members of an organization, where the person may see them.',
  errors: pagedListErrors,
});

export const postUiOrganizationMembers = defineEndpoint({
  ...formEndpoint(organizationMembersPage),
  path: '/ui/account/organizations/{id}/members',
  limit: 'user',
  body: fields('form_token', 'action', 'user_id'),
  id: 'submitOrganizationMembers',
  summary: 'Gives a member other roles, which are repeated fields `roles`, or removes one.',
  errors: [
    ...memberFormErrors,
    'ownersOnly',
    'organizationFieldInvalid',
    'roleNotFound',
    'lastOwner',
    'tooManyOrganizations',
    ...accessGuardErrors,
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitMembers(visit, request.body)),
});

export const getUiOrganizationInvitations = defineEndpoint({
  ...shownPage(organizationInvitationsPage),
  path: '/ui/account/organizations/{id}/invitations',
  query: pagedListQuery,
  id: 'showOrganizationInvitations',
  summary: 'The pending invitations of an organization, where the person may invite.',
  errors: pagedListErrors,
});

export const postUiOrganizationInvitations = defineEndpoint({
  ...formEndpoint(organizationInvitationsPage),
  path: '/ui/account/organizations/{id}/invitations',
  limit: ({ body }) => (body.action === 'revoke' ? 'user' : 'organizations'),
  body: fields('form_token', 'action', 'email', 'entry_id'),
  id: 'submitOrganizationInvitations',
  summary:
    'Invites an address with roles, which are repeated fields `roles`; mails an invitation again, or revokes it.',
  errors: [
    ...memberFormErrors,
    'ownersOnly',
    'organizationFieldInvalid',
    'roleNotFound',
    'alreadyAMember',
    'tooManyInvitations',
    'emailRequired',
    'emailTooLong',
    'emailInvalid',
    'emailNotAuthorized',
    'emailAddressInvalid',
    'overEmailQuota',
    ...accessGuardErrors,
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitInvitations(visit, request.body)),
});

export const getUiOrganizationDomains = defineEndpoint({
  ...shownPage(organizationDomainsPage),
  path: '/ui/account/organizations/{id}/domains',
  query: accountQuery,
  id: 'showOrganizationDomains',
  summary: 'The domains of an organization, where the person may manage them.',
  errors: accountErrors,
});

export const postUiOrganizationDomains = defineEndpoint({
  ...formEndpoint(organizationDomainsPage),
  path: '/ui/account/organizations/{id}/domains',
  limit: ({ body }) => (body.action === 'remove' ? 'user' : 'organizations'),
  body: fields('form_token', 'action', 'domain'),
  id: 'submitOrganizationDomains',
  summary:
    'Adds a domain, looks its record up, removes it, or changes who joins by it: `auto_join` where it is ticked, with repeated fields `roles`.',
  errors: [
    ...memberFormErrors,
    'organizationFieldInvalid',
    'roleNotFound',
    'tooManyDomains',
    'domainRecordMissing',
    'domainTaken',
    ...accessGuardErrors,
  ],
  handler: (app, request) => answerForm(app, request, (visit) => submitDomains(visit, request.body)),
});
