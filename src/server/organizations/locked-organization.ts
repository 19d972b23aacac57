/** Changes of an organization, with what their rules depend on. */

import { withLockedUser } from '../../db/account-locks.js';
import { lockOwnRoles } from '../../db/organization-members.js';
import {
  lockOrganization,
  type OrganizationRow,
  type OrganizationStanding,
  readStanding,
} from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import type { Membership } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, type Administrator, adminActor } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertAdmitted } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { catalogOf } from './organizations-on.js';
import { BUILT_IN_ROLES, OWNER, type RoleCatalog } from './role-catalog.js';
import { ADMINISTRATOR, type Concerned, type Standing } from './rules.js';

/** Who changes an organization. */
export interface Changer {
  /** Null: an administrator. */
  readonly userId: string | null;
  /** Memberships when the request began, as far as the account lists them. */
  readonly memberships?: readonly Membership[];
  /** The policies of the organization have to admit it; absent: they are not asked. */
  readonly session?: Pick<UserCaller, 'user' | 'sessionId'>;
  readonly actor: Actor;
  readonly requestId: string;
}

export const changerOfUser = (caller: Pick<UserCaller, 'user' | 'sessionId'>, requestId: string): Changer => ({
  userId: caller.user.id,
  memberships: caller.user.memberships ?? [],
  session: caller,
  actor: caller.user,
  requestId,
});

export const changerOfAdmin = (admin: Administrator, requestId: string): Changer => ({
  userId: null,
  actor: adminActor(admin),
  requestId,
});

/** A locked organization. */
export interface LockedOrganization {
  readonly organization: OrganizationRow;
  readonly catalog: RoleCatalog;
  readonly standing: Standing;
  /** The member that the change concerns; null: no member. */
  readonly concerned: Concerned | null;
}

/** @throws ApiError organizationNotFound */
export function readOrganizationId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw apiError('organizationNotFound');
  return id;
}

/**
 * Runs a change in a transaction that has locked the organization, and first the account of the member that it concerns, in
 * which its memberships are.
 * @param memberId whom the change concerns; null: no one
 * @param work statements only
 * @throws ApiError organizationNotFound, also where the caller is no member; organizationRequiresAal2, organizationRequiresSso,
 *   organizationSessionExpired; and what `work` throws
 */
export function withLockedOrganization<Result>(
  app: Pick<App, 'config' | 'db' | 'organizationRoles'>,
  { userId, memberships = [], session }: Pick<Changer, 'userId' | 'memberships' | 'session'>,
  organizationId: string,
  memberId: string | null,
  work: (statements: Statements, locked: LockedOrganization) => Promise<Result>,
): Promise<Result> {
  const catalog = catalogOf(app);
  const run = async (statements: Statements): Promise<Result> => {
    const organization = await lockOrganization(statements, organizationId);
    if (organization === undefined) throw apiError('organizationNotFound');
    const found = await readStanding(statements, organizationId, userId, memberId);
    const former = memberships.find(({ id }) => id === organizationId);
    const standing = standingOf(userId, found, former);
    if (session && organization.policies) await assertAdmitted(app, statements, organizationId, session);
    return work(statements, {
      organization,
      catalog,
      standing,
      concerned: found.roles && { roles: found.roles, hasOtherOwner: found.has_other_owner },
    });
  };
  return memberId === null ? app.db.transaction(run) : withLockedUser(app.db, memberId, run);
}

function standingOf(
  userId: string | null,
  { own_roles: roles }: OrganizationStanding,
  former: Membership | undefined,
): Standing {
  if (userId === null) return ADMINISTRATOR;
  if (roles === null) throw apiError('organizationNotFound');
  return { kind: 'member', roles, wasOwner: former?.roles.includes(OWNER) === true };
}

/**
 * Own roles that are about to be given stay until the end of the transaction.
 * @throws ApiError roleNotFound
 */
export async function keepRoles(statements: Statements, roles: readonly string[]): Promise<void> {
  const left = await lockLeftRoles(statements, roles);
  const gone = roles.find((role) => !left.includes(role));
  if (gone !== undefined) throw apiError('roleNotFound', { role: gone });
}

/** @returns the roles that still exist, in their order: they stay until the end of the transaction */
export async function lockLeftRoles(statements: Statements, roles: readonly string[]): Promise<readonly string[]> {
  const own = roles.filter((role) => !BUILT_IN_ROLES.includes(role));
  if (own.length === 0) return roles;
  const kept = await lockOwnRoles(statements, own);
  return roles.filter((role) => BUILT_IN_ROLES.includes(role) || kept.includes(role));
}
