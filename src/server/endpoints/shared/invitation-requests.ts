/** What the endpoints of members and of administrators who invite share. */
import type { ErrorName } from '../../errors.js';
import { type ApiRequest, type ClientLimit, json, type Reply } from '../../http/types.js';
import type { DocumentedAnswer } from '../../openapi/contract.js';
import {
  type GivenInvitation,
  type GivenTarget,
  inviteMember,
  inviteMembers,
} from '../../organizations/invite-members.js';
import type { Changer } from '../../organizations/locked-organization.js';
import { viewInvitation } from '../../organizations/view-invitation.js';
import type { App } from '../../runtime/app.js';
import { clientOf, redirectOf } from './client.js';
import { ok } from './docs.js';

type Entry = Pick<GivenInvitation, 'email' | 'roles'> & { readonly redirect_to?: string | undefined };

/** The body of an invitation, or of several. */
type InvitingBody = Entry & { readonly invitations?: readonly Entry[] | undefined };

const mailErrors: readonly ErrorName[] = [
  'emailNotAuthorized',
  'emailAddressInvalid',
  'tooSoonForEmail',
  'overEmailQuota',
];

/** Beside those of the organization. */
export const invitingErrors: readonly ErrorName[] = [
  'organizationFieldInvalid',
  'roleNotFound',
  'alreadyAMember',
  'tooManyInvitations',
  'emailRequired',
  'emailTooLong',
  'emailInvalid',
  ...mailErrors,
];

/** Beside those of the organization. */
export const resendingErrors: readonly ErrorName[] = [
  'roleNotFound',
  'invitationNotFound',
  'alreadyAMember',
  ...mailErrors,
];

export const invitingAnswers: Readonly<Record<string, DocumentedAnswer>> = {
  200: {
    description: 'Of `invitations`: a result for each entry, in their order.',
    body: {
      type: 'object',
      properties: { invitations: { type: 'array', items: { $ref: '#/components/schemas/InvitationResult' } } },
      required: ['invitations'],
    },
  },
  201: ok('OrganizationInvitation', 'The invitation.')[200]!,
};

/**
 * @param limit that the endpoint counts a request for: each entry counts like one; null: none
 * @throws ApiError those of inviteMember() and inviteMembers()
 */
export async function answerInviting(
  app: App,
  request: ApiRequest<InvitingBody>,
  changer: Changer,
  organizationId: string,
  limit: ClientLimit | null,
): Promise<Reply> {
  const { body } = request;
  const { ip } = clientOf(request);
  const complete = ({ email, roles, redirect_to: wanted }: Entry): GivenInvitation => ({
    email,
    roles,
    redirectTo: redirectOf(app, request, wanted ?? body.redirect_to),
    ip,
  });
  if (body.invitations !== undefined) {
    const count = limit === null ? undefined : () => app.limits.takeForClient(limit, request);
    return json(await inviteMembers(app, changer, organizationId, body.invitations.map(complete), count));
  }
  return json(viewInvitation(await inviteMember(app, changer, organizationId, complete(body))), 201);
}

/** Of a request to mail an invitation again: without a target that of before stays. */
export function resendTargetOf(app: App, request: ApiRequest<Pick<Entry, 'redirect_to'>>): GivenTarget {
  const wanted = request.body.redirect_to || request.header('redirect_to') || request.query.get('redirect_to');
  return { redirectTo: wanted ? redirectOf(app, request, wanted) : undefined, ip: clientOf(request).ip };
}
