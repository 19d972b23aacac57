import { clientOf, redirectOf } from '../../endpoints/shared/client.js';
import { allFields } from '../../endpoints/shared/fields.js';
import {
  inviteMembers,
  readInvitationPage,
  resendInvitation,
  withdrawInvitation,
} from '../../organizations/invite-members.js';
import { viewInvitation } from '../../organizations/view-invitation.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { changerOf, changerReading, errorsOfOrganization, ofOrganizations } from './organizations.js';
import { done } from './user.js';
import { listQuery } from './users.js';

const all = { ...ofOrganizations, path: '/api/organizations/{organization_id}/invitations' } as const;
const one = { ...ofOrganizations, path: '/api/organizations/{organization_id}/invitations/{invitation_id}' } as const;
const invitation = { $ref: '#/components/schemas/OrganizationInvitation' } as const;

export const getConsoleOrganizationInvitations = defineConsole({
  ...all,
  method: 'GET',
  role: 'viewer',
  query: listQuery,
  id: 'listOrganizationInvitations',
  summary: 'Lists pending invitations, the newest first.',
  answer: {
    description: 'A page.',
    body: objectOf({ invitations: listOf(invitation), next_cursor: orNull('string') }),
  },
  errors: [...errorsOfOrganization, 'organizationFieldInvalid'],
  handler: async (app, request) => ({
    status: 200,
    body: await readInvitationPage(app, changerReading(request), request.params.organization_id, request.query),
  }),
});

export const postConsoleOrganizationInvitations = defineConsole({
  ...all,
  method: 'POST',
  role: 'support',
  body: consoleBody(
    {
      emails: { type: 'array', items: { type: 'string' }, description: 'Addresses, 50 at most.' },
      roles: allFields.roles,
      redirect_to: allFields.redirect_to,
      ...reasonField,
    },
    'emails',
  ),
  id: 'inviteOrganizationMembers',
  summary: 'Invites addresses by mail, each with the same roles.',
  answer: {
    description: 'A result for each address, in their order.',
    body: objectOf({ invitations: listOf({ $ref: '#/components/schemas/InvitationResult' }) }),
  },
  errors: [...errorsOfOrganization, 'organizationFieldInvalid'],
  async handler(app, request) {
    const { emails, roles, redirect_to } = request.body;
    const shared = { roles, redirectTo: redirectOf(app, request, redirect_to), ip: clientOf(request).ip };
    const given = emails.map((email) => ({ email, ...shared }));
    const body = await inviteMembers(app, changerOf(request), request.params.organization_id, given);
    return { status: 200, body };
  },
});

export const postConsoleInvitationResend = defineConsole({
  ...one,
  method: 'POST',
  path: '/api/organizations/{organization_id}/invitations/{invitation_id}/resend',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'resendOrganizationInvitation',
  summary: 'Mails a pending invitation again, with a new link in place of the former. It has no inviter from then on.',
  answer: { description: 'The invitation.', body: invitation },
  errors: [
    ...errorsOfOrganization,
    'roleNotFound',
    'invitationNotFound',
    'alreadyAMember',
    'emailNotAuthorized',
    'emailAddressInvalid',
    'overEmailQuota',
  ],
  async handler(app, request) {
    const { organization_id, invitation_id } = request.params;
    const given = { ip: clientOf(request).ip };
    const row = await resendInvitation(app, changerOf(request), organization_id, invitation_id, given);
    return { status: 200, body: viewInvitation(row) };
  },
});

export const deleteConsoleOrganizationInvitation = defineConsole({
  ...one,
  method: 'DELETE',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'revokeOrganizationInvitation',
  summary: 'Revokes a pending invitation.',
  answer: done,
  errors: [...errorsOfOrganization, 'invitationNotFound'],
  async handler(app, request) {
    const { organization_id, invitation_id } = request.params;
    await withdrawInvitation(app, changerOf(request), organization_id, invitation_id);
    return { status: 204 };
  },
});
