/** Invitations as those who are invited see them. */

import { withLockedUser } from '../../db/account-locks.js';
import {
  type AnyInvitationRow,
  answerInvitation,
  findInvitation,
  listInvitationsOf,
  type OwnInvitationRow,
} from '../../db/organization-invitations.js';
import type { MemberRow } from '../../db/organization-members.js';
import type { TimePlace } from '../../db/types.js';
import { isEmailProven } from '../../db/user-rows.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { readInvitationId } from './invite-members.js';
import { joinByInvitation } from './join-by-invitation.js';
import { readTimePage } from './list-cursor.js';
import { isAcceptable } from './offered-invitation.js';
import { catalogOf } from './organizations-on.js';
import { viewOwnInvitation } from './view-invitation.js';

/**
 * The address of the caller, if it is proven; null: no invitation can be for the caller. One that is only confirmed, by autoconfirm or by
 * the identity provider of another organization, may be anyone's: the link of the mail proves it.
 */
export const provenAddressOf = ({ user }: Pick<UserCaller, 'user'>): string | null =>
  user.is_anonymous || user.email_confirmed_at === null || !isEmailProven(user) ? null : user.email;

/** How many invitations are read at once where some are left out. */
const BATCH = 100;

/** GET /invitations: those that can be accepted now. @throws ApiError organizationFieldInvalid */
export async function listOwnInvitations(app: App, caller: UserCaller, query: ReadonlyMap<string, string>) {
  const email = provenAddressOf(caller);
  const holder = email === null ? null : { id: caller.user.id, email };
  const { rows, next_cursor } = await readTimePage(
    query,
    async (place, count) => (holder === null ? [] : readAcceptable(app, holder, place, count)),
    ({ created_at, id }) => [created_at, id],
  );
  return { invitations: rows.map(viewOwnInvitation), next_cursor };
}

/** So many that can be accepted, as far as there are. */
async function readAcceptable(
  app: App,
  holder: { readonly id: string; readonly email: string },
  place: TimePlace | null,
  count: number,
): Promise<readonly OwnInvitationRow[]> {
  const catalog = catalogOf(app);
  const size = Math.max(count, BATCH);
  const found: OwnInvitationRow[] = [];
  let after = place;
  for (;;) {
    const rows = await listInvitationsOf(app.db, holder, after, size);
    found.push(...rows.filter((row) => !row.is_member && isAcceptable(catalog, row)));
    if (found.length >= count || rows.length < size) return found.slice(0, count);
    const { created_at: createdAt, id } = rows.at(-1)!;
    after = { createdAt, id };
  }
}

/** @throws ApiError invitationNotFound, invitationForOtherAddress */
async function readOwnInvitation(app: App, caller: UserCaller, pathId: string): Promise<AnyInvitationRow> {
  const found = await findInvitation(app.db, readInvitationId(pathId));
  if (found === undefined) throw apiError('invitationNotFound');
  if (found.email !== provenAddressOf(caller)) throw apiError('invitationForOtherAddress');
  return found;
}

/**
 * Joins the organization. Twice answers the membership again.
 * @returns the membership
 * @throws ApiError invitationNotFound, invitationForOtherAddress, organizationAddressNotAllowed, alreadyAMember, tooManyMembers,
 *   tooManyOrganizations
 */
export async function acceptInvitation(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<MemberRow> {
  const invitation = await readOwnInvitation(app, caller, pathId);
  const { row, audit } = await joinByInvitation(app, app.db, caller.user, invitation, null);
  logAudit(app, requestId, audit);
  return row;
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
