/** Invitations as those who send them see them: members, and administrators of the installation. */
import { randomUUID } from 'node:crypto';
import {
  findInvitation,
  type InvitationRow,
  type InvitationStanding,
  insertInvitation,
  listInvitations,
  readInvitationStanding,
  renewInvitation,
  revokeInvitation,
} from '../../db/organization-invitations.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertMayMakeOwner } from './access-guard.js';
import { DEFAULT_ROLES, readRoles } from './change-members.js';
import { readManaged } from './change-organization.js';
import { prepareInvitationMail } from './invitation-mail.js';
import { readTimePage } from './list-cursor.js';
import {
  type Changer,
  keepRoles,
  type LockedOrganization,
  readOrganizationId,
  withLockedOrganization,
} from './locked-organization.js';
import { isAcceptable } from './offered-invitation.js';
import { catalogOf } from './organizations-on.js';
import { assertAddressInvitable, assertKnownRoles, assertMayInviteWith, assertPermitted } from './rules.js';
import { viewInvitation } from './view-invitation.js';

const MAX_BATCH = 50;

/** An invitation as it came. */
export interface GivenInvitation extends GivenTarget {
  readonly email?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

/** Of the request for a mail. */
export interface GivenTarget {
  /** An allowed target of the link; absent: SITE_URL, or when it is sent again that of before. */
  readonly redirectTo?: string | undefined;
  /** For the hook send_email. */
  readonly ip?: string | null;
}

/**
 * Invites an address by mail; one that is invited already gets a new invitation in place of the former. No account is looked up, so
 * that neither the answer nor its time tells whether the address has one. Administrators need no permission, and no policy binds them.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, roleNotFound, organizationFieldInvalid,
 *   organizationAddressNotAllowed, alreadyAMember, tooManyInvitations, those of assertMayMakeOwner(), and of an address and its mail
 */
export async function inviteMember(
  app: App,
  changer: Changer,
  pathId: string,
  given: GivenInvitation,
): Promise<InvitationRow> {
  const organizationId = readOrganizationId(pathId);
  const plan = async (statements: Statements, locked: LockedOrganization) => {
    assertPermitted(locked.catalog, locked.standing, 'invitations:manage');
    // What the address or the roles lack is said only to those who may invite.
    const wanted = { email: normaliseEmail(given.email ?? ''), roles: readRoles(given.roles ?? DEFAULT_ROLES) };
    const { others } = await assertMayInvite(app, statements, changer, locked, wanted);
    const limit = app.config.organizationsMaxPendingInvitations;
    if (others >= limit) throw apiError('tooManyInvitations', { limit });
    return { ...wanted, organization: locked.organization };
  };
  // The mail is prepared while no connection is held: a hook may be asked.
  const planned = await withLockedOrganization(app, changer, organizationId, null, plan);
  const { redirectTo = app.config.siteUrl, ip = null } = given;
  const link = await prepareInvitationMail(app, { ...planned, inviter: inviterOf(changer), redirectTo, ip });
  const { row, audit } = await withLockedOrganization(
    app,
    changer,
    organizationId,
    null,
    async (statements, locked) => {
      const { email, roles } = await plan(statements, locked);
      await keepRoles(statements, roles);
      const id = randomUUID();
      const traits = { organization_id: organizationId, invitation_id: id, email, roles };
      const audit = [auditEntry(changer.actor, 'organization.invitation_created', traits)];
      const ttlSeconds = app.config.organizationsInvitationTtlSeconds;
      const values = { id, organizationId, email, roles, invitedBy: changer.userId, ttlSeconds, link };
      return { row: await insertInvitation(statements, values, storedAudit(app, audit)), audit };
    },
  );
  logAudit(app, changer.requestId, audit);
  app.mail.nudge();
  return row;
}

/** Whom the mail names; null: an administrator, whose address is no business of the organization. */
const inviterOf = ({ session }: Changer) => session?.user ?? null;

/**
 * @throws ApiError organizationPermissionMissing, ownersOnly, roleNotFound, organizationAddressNotAllowed, alreadyAMember;
 *   aalForOrganization, stepUpRequired, sessionNotFound where it makes an owner
 */
async function assertMayInvite(
  app: Pick<App, 'config'>,
  statements: Statements,
  changer: Changer,
  { catalog, standing, organization }: LockedOrganization,
  { email, roles }: { readonly email: string; readonly roles: readonly string[] },
): Promise<InvitationStanding> {
  assertKnownRoles(catalog, roles);
  assertMayInviteWith(catalog, standing, roles);
  await assertMayMakeOwner(app, statements, changer, roles);
  assertAddressInvitable(standing, organization.policies, email);
  const found = await readInvitationStanding(statements, organization.id, email);
  if (found.is_member) throw apiError('alreadyAMember');
  return found;
}

/**
 * Mails a pending invitation again: a new link takes the place of the former one. The caller is its inviter from then on, so that it can
 * be accepted where the first inviter may not invite any more.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, roleNotFound, invitationNotFound, alreadyAMember, and
 *   those of a mail
 */
export async function resendInvitation(
  app: App,
  changer: Changer,
  pathId: string,
  pathInvitationId: string,
  given: GivenTarget,
): Promise<InvitationRow> {
  const organizationId = readOrganizationId(pathId);
  const plan = async (statements: Statements, locked: LockedOrganization) => {
    assertPermitted(locked.catalog, locked.standing, 'invitations:manage');
    const found = await findInvitation(statements, readInvitationId(pathInvitationId));
    if (found?.organization_id !== organizationId || found.state !== 'pending') throw apiError('invitationNotFound');
    await assertMayInvite(app, statements, changer, locked, found);
    return { ...found, organization: locked.organization };
  };
  const planned = await withLockedOrganization(app, changer, organizationId, null, plan);
  // The rules may have changed since the first mail.
  const { redirectTo = app.redirects.choose([planned.redirect_to ?? undefined]).url, ip = null } = given;
  const link = await prepareInvitationMail(app, { ...planned, inviter: inviterOf(changer), redirectTo, ip });
  const { row, audit } = await withLockedOrganization(
    app,
    changer,
    organizationId,
    null,
    async (statements, locked) => {
      const { id, roles } = await plan(statements, locked);
      await keepRoles(statements, roles);
      const traits = { organization_id: organizationId, invitation_id: id };
      const audit = [auditEntry(changer.actor, 'organization.invitation_resent', traits)];
      const ttlSeconds = app.config.organizationsInvitationTtlSeconds;
      const values = { id, organizationId, invitedBy: changer.userId, ttlSeconds, link };
      return { row: await renewInvitation(statements, values, storedAudit(app, audit)), audit };
    },
  );
  if (row === undefined) throw apiError('invitationNotFound');
  logAudit(app, changer.requestId, audit);
  app.mail.nudge();
  return row;
}

/**
 * Invites several addresses, one after another; one that is refused does not keep back the others.
 * @param count counts an entry beside the first, which the request itself is, for the limit of the client; it throws where
 *   that is reached. Absent: none counts
 * @returns a result for each, in their order
 * @throws ApiError organizationNotFound, organizationPermissionMissing where nothing can be invited at all
 */
export async function inviteMembers(
  app: App,
  changer: Changer,
  pathId: string,
  given: readonly GivenInvitation[],
  count?: () => Promise<void>,
) {
  await readManaged(app, changer, pathId, 'invitations:manage');
  if (given.length === 0 || given.length > MAX_BATCH) {
    throw apiError('organizationFieldInvalid', { reason: `invitations needs 1 to ${MAX_BATCH} entries` });
  }
  const invitations: object[] = [];
  for (const [index, one] of given.entries()) {
    try {
      if (index > 0) await count?.();
      const row = await inviteMember(app, changer, pathId, one);
      invitations.push({ email: row.email, invitation: viewInvitation(row) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      invitations.push({ email: one.email ?? '', error_code: error.errorCode, msg: error.message });
    }
  }
  return { invitations };
}

/** Pending ones; each says whether it can be accepted now. @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid */
export async function readInvitationPage(
  app: App,
  changer: Changer,
  pathId: string,
  query: ReadonlyMap<string, string>,
) {
  const { id } = await readManaged(app, changer, pathId, 'invitations:manage');
  const { rows, next_cursor } = await readTimePage(
    query,
    (place, count) => listInvitations(app.db, id, place, count),
    ({ created_at, id }) => [created_at, id],
  );
  const catalog = catalogOf(app);
  return { invitations: rows.map((row) => viewInvitation(row, isAcceptable(catalog, row))), next_cursor };
}

/** @throws ApiError invitationNotFound */
export function readInvitationId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw apiError('invitationNotFound');
  return id;
}

/** @throws ApiError organizationNotFound, organizationPermissionMissing, invitationNotFound */
export async function withdrawInvitation(
  app: App,
  changer: Changer,
  pathId: string,
  pathInvitationId: string,
): Promise<void> {
  const organizationId = readOrganizationId(pathId);
  const audit = await withLockedOrganization(app, changer, organizationId, null, async (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'invitations:manage');
    const id = readInvitationId(pathInvitationId);
    const traits = { organization_id: organizationId, invitation_id: id };
    const entries = [auditEntry(changer.actor, 'organization.invitation_revoked', traits)];
    if (!(await revokeInvitation(statements, id, organizationId, storedAudit(app, entries)))) {
      throw apiError('invitationNotFound');
    }
    return entries;
  });
  logAudit(app, changer.requestId, audit);
}
