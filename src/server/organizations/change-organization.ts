import { isUniqueViolation } from '../../db/errors.js';
import {
  findOrganization,
  findOwnOrganization,
  type OrganizationChanges,
  type OrganizationRow,
  type OwnOrganizationRow,
  removeOrganization,
  updateOrganization,
} from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertAdmitted } from '../sessions/admission.js';
import type { UserCaller } from '../sessions/caller.js';
import { assertChangesAccess, assertMayChangeAccess } from './access-guard.js';
import { fieldError } from './field-error.js';
import {
  type Changer,
  changerOfUser,
  type LockedOrganization,
  readOrganizationId,
  withLockedOrganization,
} from './locked-organization.js';
import { catalogOf } from './organizations-on.js';
import { assertMeetsPolicies } from './own-policies.js';
import { mergePolicies, type PolicyChanges } from './policies.js';
import type { BuiltInPermission } from './role-catalog.js';
import { assertPermitted } from './rules.js';

/**
 * An organization of the caller.
 * @param permission what the caller needs in it
 * @throws ApiError organizationNotFound, organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired,
 *   organizationPermissionMissing
 */
export async function readOwnOrganization(
  app: Pick<App, 'config' | 'db' | 'organizationRoles'>,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
  pathId: string,
  permission: BuiltInPermission,
): Promise<OwnOrganizationRow> {
  const row = await findOwnOrganization(app.db, readOrganizationId(pathId), caller.user.id);
  if (row === undefined) throw apiError('organizationNotFound');
  if (row.policies !== null) await assertAdmitted(app, app.db, row.id, caller);
  assertPermitted(catalogOf(app), { kind: 'member', roles: row.roles }, permission);
  return row;
}

/** For administrators. @throws ApiError organizationNotFound */
export async function readOrganization({ db }: Pick<App, 'db'>, pathId: string): Promise<OrganizationRow> {
  const row = await findOrganization(db, readOrganizationId(pathId));
  if (row === undefined) throw apiError('organizationNotFound');
  return row;
}

/**
 * An organization for members with a permission, and for administrators.
 * @throws ApiError organizationNotFound; those of readOwnOrganization() to members
 */
export const readManaged = (
  app: Pick<App, 'config' | 'db' | 'organizationRoles'>,
  { session }: Changer,
  pathId: string,
  permission: BuiltInPermission,
): Promise<OrganizationRow> =>
  session === undefined ? readOrganization(app, pathId) : readOwnOrganization(app, session, pathId, permission);

/** Fields of an organization; of the policies those that are absent stay, too. */
export type OrganizationFieldChanges = Omit<OrganizationChanges, 'policies'> & {
  readonly policies?: PolicyChanges | undefined;
};

/**
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationSlugTaken; aalForOrganization, stepUpRequired,
 *   sessionNotFound, organizationPolicyUnmet where it changes policies
 */
export async function changeOrganization(
  app: App,
  changer: Changer,
  pathId: string,
  { policies, ...changes }: OrganizationFieldChanges,
): Promise<OrganizationRow> {
  const id = readOrganizationId(pathId);
  const changed = Object.keys(policies === undefined ? changes : { ...changes, policies }).sort();
  const traits = { organization_id: id, changed, ...(policies && { policies }) };
  const audit = [auditEntry(changer.actor, 'organization.updated', traits)];
  const write = async (statements: Statements, { catalog, standing, organization }: LockedOrganization) => {
    assertPermitted(catalog, standing, 'organization:manage');
    if (policies !== undefined) await assertChangesAccess(app, statements, changer);
    const merged = policies && mergePolicies(organization.policies, policies);
    if (merged !== undefined && changer.session)
      await assertMeetsPolicies(app, statements, id, changer.session, merged);
    return updateOrganization(statements, id, { ...changes, policies: merged }, storedAudit(app, audit));
  };
  const row = await withLockedOrganization(app, changer, id, null, write).catch((error: unknown) => {
    throw isUniqueViolation(error) ? apiError('organizationSlugTaken', {}, { cause: error }) : error;
  });
  logAudit(app, changer.requestId, audit);
  return row;
}

/**
 * DELETE /organizations/{id}. The slug is repeated, so that the wrong organization is not deleted by mistake.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid, aalForOrganization,
 *   stepUpRequired, sessionNotFound
 */
export async function deleteOwnOrganization(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
  slug: string | undefined,
): Promise<void> {
  const row = await readOwnOrganization(app, caller, pathId, 'organization:delete');
  if (!slug) throw fieldError('slug is missing: the body repeats that of the organization', 'slug_differs');
  if (slug !== row.slug) throw fieldError('slug must be that of the organization', 'slug_differs');
  await assertMayChangeAccess(app, caller);
  await deleteOrganization(app, changerOfUser(caller, requestId), pathId);
}

/** Accounts of members stay. @throws ApiError organizationNotFound, organizationPermissionMissing */
export async function deleteOrganization(app: App, changer: Changer, pathId: string): Promise<void> {
  const id = readOrganizationId(pathId);
  const audit = await withLockedOrganization(app, changer, id, null, async (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'organization:delete');
    const { name, slug } = locked.organization;
    const entries = [auditEntry(changer.actor, 'organization.deleted', { organization_id: id, name, slug })];
    await removeOrganization(statements, id, storedAudit(app, entries));
    return entries;
  });
  logAudit(app, changer.requestId, audit);
}
