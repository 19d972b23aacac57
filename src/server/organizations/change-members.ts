/** Members of an organization: added, given other roles, removed. Every way to do so comes here. */

import { findUserById } from '../../db/admin-users.js';
import {
  changeMemberRoles,
  findMember,
  insertMember,
  type MemberRow,
  type NewMember,
  removeMember,
} from '../../db/organization-members.js';
import { countOwned, type OrganizationRow } from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, type AuditEntry, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertMayMakeOwner } from './access-guard.js';
import { fieldError } from './field-error.js';
import { type Changer, keepRoles, readOrganizationId, withLockedOrganization } from './locked-organization.js';
import { OWNER } from './role-catalog.js';
import { assertKnownRoles, assertMayChangeRoles, assertMayGive, assertMayRemove } from './rules.js';

const MAX_ROLES = 16;
/** Of a member who comes without a choice of roles. */
export const DEFAULT_ROLES: readonly string[] = ['member'];

/** @returns sorted, each once. @throws ApiError organizationFieldInvalid */
export function readRoles(given: readonly string[] | undefined): readonly string[] {
  const roles = [...new Set(given ?? [])].sort();
  if (roles.length === 0 || roles.length > MAX_ROLES) {
    throw fieldError(`roles needs 1 to ${MAX_ROLES} names`, 'roles_none');
  }
  return roles;
}

/** @throws ApiError memberNotFound */
export function readMemberId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw apiError('memberNotFound');
  return id;
}

/**
 * Adds a member.
 * @returns the member
 * @throws ApiError organizationNotFound, roleNotFound, organizationPermissionMissing, ownersOnly, alreadyAMember,
 *   tooManyMembers, tooManyOrganizations, userNotFound, organizationFieldInvalid where the user is anonymous
 */
export async function addMember(app: App, changer: Changer, member: NewMember): Promise<MemberRow> {
  const { organizationId, userId, roles } = member;
  const audit = [describeJoining(changer.actor, member)];
  const row = await withLockedOrganization(app, changer, organizationId, userId, async (statements, locked) => {
    const { catalog, standing, concerned, organization } = locked;
    assertKnownRoles(catalog, roles);
    assertMayGive(catalog, standing, roles);
    if (concerned !== null) throw apiError('alreadyAMember');
    const user = await findUserById(statements, userId);
    if (user === undefined || user.deleted_at !== null) throw apiError('userNotFound');
    if (user.is_anonymous) {
      throw apiError('organizationFieldInvalid', { reason: 'user_id is that of an anonymous user, who joins nothing' });
    }
    await keepRoles(statements, roles);
    return joinOrganization(app, statements, organization, member, audit);
  });
  logAudit(app, changer.requestId, audit);
  return row;
}

export const describeJoining = (actor: Actor, { organizationId, userId, roles, via }: NewMember): AuditEntry =>
  auditEntry(actor, 'organization.member_added', { organization_id: organizationId, user_id: userId, roles, via });

/**
 * Writes a membership whose roles the rules permit. Call it with the account and the organization locked.
 * @returns the member
 * @throws ApiError tooManyOrganizations, tooManyMembers
 */
export async function joinOrganization(
  app: Pick<App, 'config' | 'clientAddress'>,
  statements: Statements,
  { max_members: own }: OrganizationRow,
  member: NewMember,
  audit: readonly AuditEntry[],
): Promise<MemberRow> {
  if (member.roles.includes(OWNER)) await assertMayOwn(app, statements, member.userId);
  // 0: no limit.
  const limit = (own ?? app.config.organizationsMaxMembers) || null;
  if (!(await insertMember(statements, member, limit, storedAudit(app, audit)))) {
    throw apiError('tooManyMembers', { limit: limit ?? 0 });
  }
  return (await findMember(statements, member.organizationId, member.userId))!;
}

/** Call it with the account locked. @throws ApiError tooManyOrganizations */
async function assertMayOwn({ config }: Pick<App, 'config'>, statements: Statements, userId: string): Promise<void> {
  const limit = config.organizationsMaxOwned;
  if ((await countOwned(statements, userId)) >= limit) throw apiError('tooManyOrganizations', { limit });
}

/**
 * Gives a member other roles.
 * @returns the member
 * @throws ApiError organizationNotFound, memberNotFound, roleNotFound, organizationPermissionMissing, ownersOnly, lastOwner,
 *   tooManyOrganizations; aalForOrganization, stepUpRequired, sessionNotFound where it makes an owner
 */
export async function changeRoles(
  app: App,
  changer: Changer,
  pathId: string,
  pathUserId: string,
  roles: readonly string[],
): Promise<MemberRow> {
  const organizationId = readOrganizationId(pathId);
  const userId = readMemberId(pathUserId);
  const { row, audit } = await withLockedOrganization(
    app,
    changer,
    organizationId,
    userId,
    async (statements, { catalog, standing, concerned }) => {
      // Who may not know the members learns nothing of them.
      if (concerned === null) {
        assertMayGive(catalog, standing, []);
        throw apiError('memberNotFound');
      }
      assertMayChangeRoles(catalog, standing, concerned, roles);
      assertKnownRoles(catalog, roles);
      await assertMayMakeOwner(
        app,
        statements,
        changer,
        roles.filter((role) => !concerned.roles.includes(role)),
      );
      await keepRoles(statements, roles);
      const isNewOwner = roles.includes(OWNER) && !concerned.roles.includes(OWNER);
      if (isNewOwner) await assertMayOwn(app, statements, userId);
      const traits = { organization_id: organizationId, user_id: userId, roles, former_roles: concerned.roles };
      const audit = [auditEntry(changer.actor, 'organization.member_updated', traits)];
      await changeMemberRoles(statements, organizationId, userId, roles, storedAudit(app, audit));
      return { row: (await findMember(statements, organizationId, userId))!, audit };
    },
  );
  logAudit(app, changer.requestId, audit);
  return row;
}

/**
 * Removes a member; of the caller itself: leaves.
 * @throws ApiError organizationNotFound, memberNotFound, organizationPermissionMissing, ownersOnly, lastOwner
 */
export async function endMembership(app: App, changer: Changer, pathId: string, pathUserId: string): Promise<void> {
  const organizationId = readOrganizationId(pathId);
  const userId = readMemberId(pathUserId);
  const traits = { organization_id: organizationId, user_id: userId };
  const audit = [auditEntry(changer.actor, 'organization.member_removed', traits)];
  const isOwnWish = changer.userId === userId;
  // No policy keeps a member who wants to leave.
  const { session: _, ...leaver } = changer;
  const by = isOwnWish ? leaver : changer;
  await withLockedOrganization(app, by, organizationId, userId, async (statements, locked) => {
    const { catalog, standing, concerned } = locked;
    if (concerned === null) {
      assertMayRemove(catalog, standing, { roles: [], hasOtherOwner: true }, false);
      throw apiError('memberNotFound');
    }
    assertMayRemove(catalog, standing, concerned, isOwnWish);
    await removeMember(statements, organizationId, userId, storedAudit(app, audit));
  });
  logAudit(app, changer.requestId, audit);
}
