/** Invitations as those who are invited see them. */

import { withLockedUser } from '../../db/account-locks.js';
import {
  type AnyInvitationRow,
  answerInvitation,
  findInvitation,
  listInvitationsOf,
} from '../../db/organization-invitations.js';
import { findMember, type MemberRow } from '../../db/organization-members.js';
import type { Statements } from '../../db/types.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { describeJoining, joinOrganization } from './change-members.js';
import { readInvitationId } from './invite-members.js';
import { readTimePage } from './list-cursor.js';
import { keepRoles, type LockedOrganization, withLockedOrganization } from './locked-organization.js';
import { assertKnownRoles, assertMayGive } from './rules.js';
import { viewOwnInvitation } from './view-invitation.js';

/** The address of the caller, if it is proven; null: no invitation can be for the caller. */
const confirmedAddressOf = ({ user }: UserCaller): string | null =>
  user.is_anonymous || user.email_confirmed_at === null ? null : user.email;

/** GET /invitations. @throws ApiError organizationFieldInvalid */
export async function listOwnInvitations(app: App, caller: UserCaller, query: ReadonlyMap<string, string>) {
  const email = confirmedAddressOf(caller);
  const { rows, next_cursor } = await readTimePage(
    query,
    async (place, count) => (email === null ? [] : listInvitationsOf(app.db, email, place, count)),
    ({ created_at, id }) => [created_at, id],
  );
  return { invitations: rows.map(viewOwnInvitation), next_cursor };
}

/** @throws ApiError invitationNotFound, invitationForOtherAddress */
async function readOwnInvitation(app: App, caller: UserCaller, pathId: string): Promise<AnyInvitationRow> {
  const found = await findInvitation(app.db, readInvitationId(pathId));
  if (found === undefined) throw apiError('invitationNotFound');
  if (found.email !== confirmedAddressOf(caller)) throw apiError('invitationForOtherAddress');
  return found;
}

/**
 * Joins the organization. Twice answers the membership again. The inviter must still be allowed to give the roles.
 * @returns the membership
 * @throws ApiError invitationNotFound, invitationForOtherAddress, alreadyAMember, tooManyMembers, tooManyOrganizations
 */
export async function acceptInvitation(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<MemberRow> {
  const invitation = await readOwnInvitation(app, caller, pathId);
  const { id, organization_id: organizationId, invited_by: userId } = invitation;
  const { user } = caller;
  const { row, audit } = await withLockedOrganization(
    app,
    // Its standing is that of the inviter, as of now.
    { userId },
    organizationId,
    user.id,
    async (statements, locked) => {
      const current = await findInvitation(statements, id);
      if (current?.state === 'accepted' && current.accepted_by === user.id && locked.concerned !== null) {
        return { row: (await findMember(statements, organizationId, user.id))!, audit: [] };
      }
      if (locked.concerned !== null) throw apiError('alreadyAMember');
      const { roles } = invitation;
      await assertStillGiven(statements, locked, roles);
      const member = { organizationId, userId: user.id, roles, via: 'invitation' } as const;
      const accepted = auditEntry(user, 'organization.invitation_accepted', {
        organization_id: organizationId,
        invitation_id: id,
      });
      const added = describeJoining(user, member);
      if ((await answerInvitation(statements, id, 'accepted', user.id, storedAudit(app, [accepted]))) === undefined) {
        throw apiError('invitationNotFound');
      }
      return {
        row: await joinOrganization(app, statements, locked.organization, member, [added]),
        audit: [accepted, added],
      };
    },
  ).catch((error: unknown) => {
    // The inviter is no member any more, or the organization has been deleted.
    throw error instanceof ApiError && error.entry === 'organizationNotFound' ? apiError('invitationNotFound') : error;
  });
  logAudit(app, requestId, audit);
  return row;
}

/**
 * An invitation gives what the inviter has now, not what the inviter had.
 * @throws ApiError invitationNotFound
 */
async function assertStillGiven(
  statements: Statements,
  { catalog, standing }: LockedOrganization,
  roles: readonly string[],
): Promise<void> {
  try {
    assertKnownRoles(catalog, roles);
    assertMayGive(catalog, standing, roles, 'invitations:manage');
    await keepRoles(statements, roles);
  } catch (error) {
    throw error instanceof ApiError ? apiError('invitationNotFound', {}, { cause: error }) : error;
  }
}

/** @throws ApiError invitationNotFound, invitationForOtherAddress */
export async function declineInvitation(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<void> {
  const { id, organization_id } = await readOwnInvitation(app, caller, pathId);
  const { user } = caller;
  const audit = [
    auditEntry(user, 'organization.invitation_declined', { organization_id, invitation_id: id, user_id: user.id }),
  ];
  await withLockedUser(app.db, user.id, async (statements) => {
    if ((await answerInvitation(statements, id, 'declined', user.id, storedAudit(app, audit))) === undefined) {
      throw apiError('invitationNotFound');
    }
  });
  logAudit(app, requestId, audit);
}
