import { json, noContent } from '../http/types.js';
import { accessGuardErrors } from '../organizations/access-guard.js';
import { acceptInvitation, declineInvitation, listOwnInvitations } from '../organizations/answer-invitation.js';
import { readInvitationPage, resendInvitation, withdrawInvitation } from '../organizations/invite-members.js';
import { changerOfUser } from '../organizations/locked-organization.js';
import { viewInvitation } from '../organizations/view-invitation.js';
import { viewMember } from '../organizations/view-organization.js';
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
import {
  organizationEndpoint,
  organizationErrors,
  organizationListQuery,
  organizationPage,
} from './shared/organization-docs.js';

const shared = { ...organizationEndpoint, secondFactor: 'not asked' } as const;

export const postOrganizationInvitations = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/organizations/{id}/invitations',
  secondFactor: 'asked',
  limit: 'organizations',
  query: redirectQuery,
  body: fields('email', 'roles', 'redirect_to', 'invitations'),
  id: 'inviteOrganizationMembers',
  summary:
    'Invites an address by mail, or up to 50 with a result for each (invitations:manage, members:manage, and whatever the roles permit).',
  answers: invitingAnswers,
  errors: [
    ...organizationErrors,
    'ownersOnly',
    'organizationAddressNotAllowed',
    ...invitingErrors,
    ...accessGuardErrors,
  ],
  handler: (app, request) =>
    answerInviting(app, request, changerOfUser(request.caller, request.id), request.params.id, 'organizations'),
});

export const postInvitationResend = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/organizations/{id}/invitations/{invitation_id}/resend',
  secondFactor: 'asked',
  limit: 'organizations',
  query: redirectQuery,
  body: fields('redirect_to'),
  bodyOptional: true,
  id: 'resendOrganizationInvitation',
  summary: 'Mails a pending invitation again, with a new link in place of the former (what inviting needs).',
  answers: ok('OrganizationInvitation', 'The invitation.'),
  errors: [
    ...organizationErrors,
    'ownersOnly',
    'organizationAddressNotAllowed',
    ...resendingErrors,
    ...accessGuardErrors,
  ],
  async handler(app, request) {
    const { id, caller, params } = request;
    const given = resendTargetOf(app, request);
    const row = await resendInvitation(app, changerOfUser(caller, id), params.id, params.invitation_id, given);
    return json(viewInvitation(row));
  },
});

export const getOrganizationInvitations = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/organizations/{id}/invitations',
  query: organizationListQuery,
  id: 'listOrganizationInvitations',
  summary: 'Lists pending invitations, the newest first (invitations:manage).',
  answers: organizationPage('invitations', 'OrganizationInvitation', 'The invitations.'),
  errors: [...organizationErrors, 'organizationFieldInvalid'],
  handler: async (app, { id, caller, params, query }) =>
    json(await readInvitationPage(app, changerOfUser(caller, id), params.id, query)),
});

export const deleteOrganizationInvitation = defineEndpoint({
  ...shared,
  method: 'DELETE',
  path: '/organizations/{id}/invitations/{invitation_id}',
  id: 'revokeOrganizationInvitation',
  summary: 'Revokes a pending invitation (invitations:manage).',
  answers: { 204: { description: 'Revoked.' } },
  errors: [...organizationErrors, 'invitationNotFound'],
  async handler(app, { id, caller, params }) {
    await withdrawInvitation(app, changerOfUser(caller, id), params.id, params.invitation_id);
    return noContent();
  },
});

export const getInvitations = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/invitations',
  query: organizationListQuery,
  id: 'listInvitations',
  summary: 'Lists the invitations of the proven address of the caller that can be accepted now, the newest first.',
  answers: organizationPage('invitations', 'OwnInvitation', 'The invitations, with the organization of each.'),
  errors: ['organizationsDisabled', 'organizationFieldInvalid'],
  handler: async (app, { caller, query }) => json(await listOwnInvitations(app, caller, query)),
});

export const postInvitationAccept = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/invitations/{invitation_id}/accept',
  id: 'acceptInvitation',
  summary: 'Joins the organization of an invitation; accepting again answers the membership again.',
  answers: ok('OrganizationMember', 'The membership.'),
  errors: [
    'organizationsDisabled',
    'invitationNotFound',
    'invitationForOtherAddress',
    'organizationAddressNotAllowed',
    'alreadyAMember',
    'tooManyMembers',
    'tooManyOrganizations',
  ],
  handler: async (app, { id, caller, params }) =>
    json(viewMember(await acceptInvitation(app, id, caller, params.invitation_id))),
});

export const postInvitationDecline = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/invitations/{invitation_id}/decline',
  id: 'declineInvitation',
  summary: 'Declines an invitation.',
  answers: { 200: { description: 'Declined.', body: { type: 'object' } } },
  errors: ['organizationsDisabled', 'invitationNotFound', 'invitationForOtherAddress'],
  async handler(app, { id, caller, params }) {
    await declineInvitation(app, id, caller, params.invitation_id);
    return json({});
  },
});
