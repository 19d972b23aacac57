import { json, noContent } from '../http/types.js';
import { readInvitationPage, resendInvitation, withdrawInvitation } from '../organizations/invite-members.js';
import { changerOfAdmin } from '../organizations/locked-organization.js';
import { viewInvitation } from '../organizations/view-invitation.js';
import { defineEndpoint } from './shared/define.js';
import { ok, redirectQuery } from './shared/docs.js';
import { fields } from './shared/fields.js';
import {
  answerInviting,
  invitingAnswers,
  invitingErrors,
  resendingErrors,
  resendTargetOf,
} from './shared/invitation-requests.js';
import { organizationAdminEndpoint, organizationListQuery, organizationPage } from './shared/organization-docs.js';

const all = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/invitations' } as const;
const one = { ...organizationAdminEndpoint, path: '/admin/organizations/{id}/invitations/{invitation_id}' } as const;
const found = ['organizationsDisabled', 'organizationNotFound'] as const;

export const postAdminOrganizationInvitations = defineEndpoint({
  ...all,
  method: 'POST',
  query: redirectQuery,
  body: fields('email', 'roles', 'redirect_to', 'invitations'),
  id: 'adminInviteOrganizationMembers',
  summary: 'Invites an address by mail, or up to 50 with a result for each. The mail names no inviter.',
  answers: invitingAnswers,
  errors: [...found, ...invitingErrors],
  handler: (app, request) =>
    answerInviting(app, request, changerOfAdmin(request.caller, request.id), request.params.id, null),
});

export const getAdminOrganizationInvitations = defineEndpoint({
  ...all,
  method: 'GET',
  query: organizationListQuery,
  id: 'adminListOrganizationInvitations',
  summary: 'Lists pending invitations, the newest first.',
  answers: organizationPage('invitations', 'OrganizationInvitation', 'The invitations.'),
  errors: [...found, 'organizationFieldInvalid'],
  handler: async (app, { id, caller, params, query }) =>
    json(await readInvitationPage(app, changerOfAdmin(caller, id), params.id, query)),
});

export const postAdminOrganizationInvitationResend = defineEndpoint({
  ...one,
  method: 'POST',
  path: '/admin/organizations/{id}/invitations/{invitation_id}/resend',
  query: redirectQuery,
  body: fields('redirect_to'),
  bodyOptional: true,
  id: 'adminResendOrganizationInvitation',
  summary: 'Mails a pending invitation again, with a new link in place of the former. It has no inviter from then on.',
  answers: ok('OrganizationInvitation', 'The invitation.'),
  errors: [...found, ...resendingErrors],
  async handler(app, request) {
    const { id, caller, params } = request;
    const given = resendTargetOf(app, request);
    const row = await resendInvitation(app, changerOfAdmin(caller, id), params.id, params.invitation_id, given);
    return json(viewInvitation(row));
  },
});

export const deleteAdminOrganizationInvitation = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminRevokeOrganizationInvitation',
  summary: 'Revokes a pending invitation.',
  answers: { 204: { description: 'Revoked.' } },
  errors: [...found, 'invitationNotFound'],
  async handler(app, { id, caller, params }) {
    await withdrawInvitation(app, changerOfAdmin(caller, id), params.id, params.invitation_id);
    return noContent();
  },
});
