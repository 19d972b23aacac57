/** What accepting an invitation does, by its id or by its link. */
import { type AnyInvitationRow, answerInvitation, findInvitation } from '../../db/organization-invitations.js';
import { findMember, type MemberRow } from '../../db/organization-members.js';
import type { Database, Statements } from '../../db/types.js';
import { type Actor, type AuditEntry, auditEntry, storedAudit } from '../accounts/audit.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { describeJoining, joinOrganization } from './change-members.js';
import { keepRoles, type LockedOrganization, withLockedOrganization } from './locked-organization.js';
import { assertStillGivable } from './offered-invitation.js';
import { assertAddressInvitable } from './rules.js';

export interface Joined {
  readonly row: MemberRow;
  /** Stored already; empty: the user had joined before. */
  readonly audit: readonly AuditEntry[];
}

/**
 * Joins the organization of an invitation. The inviter must still be allowed to give the roles, which a banned one is not.
 * @param db may be in a transaction that has locked the account
 * @param linkHash of the link that was followed, which is used up; null: by its id, which twice answers the membership again
 * @throws ApiError invitationNotFound, organizationAddressNotAllowed, alreadyAMember, tooManyMembers, tooManyOrganizations
 */
export async function joinByInvitation(
  app: App,
  db: Database,
  user: Actor,
  { id, organization_id: organizationId, invited_by: userId, email, roles }: AnyInvitationRow,
  linkHash: string | null,
): Promise<Joined> {
  const join = async (statements: Statements, locked: LockedOrganization): Promise<Joined> => {
    const current = await findInvitation(statements, id);
    if (linkHash !== null && current?.link_hash !== linkHash) throw apiError('invitationNotFound');
    const isAnswered = current?.state === 'accepted' && current.accepted_by === user.id;
    if (linkHash === null && isAnswered && locked.concerned !== null) {
      return { row: (await findMember(statements, organizationId, user.id))!, audit: [] };
    }
    // A link that was used says so, also to those who joined by it.
    if (isAnswered) throw apiError('invitationNotFound');
    if (locked.concerned !== null) throw apiError('alreadyAMember');
    await assertStillGiven(statements, locked, roles);
    assertAddressInvitable(locked.standing, locked.organization.policies, email);
    const member = { organizationId, userId: user.id, roles, via: 'invitation' } as const;
    const accepted = auditEntry(user, 'organization.invitation_accepted', {
      organization_id: organizationId,
      invitation_id: id,
    });
    const added = describeJoining(user, member);
    if ((await answerInvitation(statements, id, 'accepted', user.id, storedAudit(app, [accepted]))) === undefined) {
      throw apiError('invitationNotFound');
    }
    const row = await joinOrganization(app, statements, locked.organization, member, [added]);
    return { row, audit: [accepted, added] };
  };
  // Its standing is that of the inviter, as of now; without one that of an administrator.
  const scope = { db, config: app.config, organizationRoles: app.organizationRoles };
  return withLockedOrganization(scope, { userId }, organizationId, user.id, join).catch((error: unknown) => {
    // The inviter is no member any more, or is banned, or the organization has been deleted.
    throw error instanceof ApiError && error.entry === 'organizationNotFound' ? apiError('invitationNotFound') : error;
  });
}

/** @throws ApiError invitationNotFound */
async function assertStillGiven(
  statements: Statements,
  { catalog, standing }: LockedOrganization,
  roles: readonly string[],
): Promise<void> {
  try {
    assertStillGivable(catalog, standing, roles);
    await keepRoles(statements, roles);
  } catch (error) {
    throw error instanceof ApiError ? apiError('invitationNotFound', {}, { cause: error }) : error;
  }
}
