/** Who manages identity providers, of either protocol: an administrator all of them, a member those of an organization. */
import { countProvidersOf, readGivenRoles } from '../../db/sso-providers.js';
import type { Statements } from '../../db/types.js';
import type { Administrator } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { assertMayChangeAccess } from './access-guard.js';
import { readOwnOrganization } from './change-organization.js';
import {
  type Changer,
  changerOfAdmin,
  changerOfUser,
  type LockedOrganization,
  withLockedOrganization,
} from './locked-organization.js';
import { assertMayProvide, assertPermitted } from './rules.js';

export interface ProviderManager {
  readonly changer: Changer;
  /** The only organization whose providers may be managed; null: all may. */
  readonly organizationId: string | null;
}

/** A member. */
export type OrganizationManager = ProviderManager & { readonly organizationId: string };

const MAX_OF_ORGANIZATION = 10;

export const managerOfAll = (admin: Administrator, requestId: string): ProviderManager => ({
  changer: changerOfAdmin(admin, requestId),
  organizationId: null,
});

/**
 * @param pathId of the organization
 * @throws ApiError organizationNotFound, organizationPermissionMissing
 */
export async function managerOfOrganization(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<OrganizationManager> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'sso:manage');
  return { changer: changerOfUser(caller, requestId), organizationId: id };
}

/**
 * The same for changes. Who says where people sign in can get into their accounts.
 * @throws ApiError those of {@link managerOfOrganization}; aalForOrganization, stepUpRequired, sessionNotFound
 */
export async function raisedManagerOfOrganization(
  app: App,
  requestId: string,
  caller: UserCaller,
  pathId: string,
): Promise<OrganizationManager> {
  const manager = await managerOfOrganization(app, requestId, caller, pathId);
  await assertMayChangeAccess(app, caller);
  return manager;
}

/**
 * Whether a provider may be written so, once its organization is locked.
 * @param gives roles of those who join by it
 * @param identities what identities of its people have as their provider; null: it is new
 * @param isOtherWord whose word counts changes
 * @throws ApiError organizationPermissionMissing, ownersOnly, tooManySsoProviders
 */
export async function assertMayWriteProvider(
  statements: Statements,
  { catalog, standing, organization: { id } }: LockedOrganization,
  gives: readonly string[],
  identities: string | null,
  isOtherWord: boolean,
): Promise<void> {
  const held = isOtherWord ? await readGivenRoles(statements, id, identities ?? '') : [];
  assertMayProvide(catalog, standing, gives, held);
  if (standing.kind !== 'member' || identities !== null) return;
  if ((await countProvidersOf(statements, id)) >= MAX_OF_ORGANIZATION) {
    throw apiError('tooManySsoProviders', { limit: MAX_OF_ORGANIZATION });
  }
}

/**
 * Removes a provider.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, and what `write` throws
 */
export function removeManaged<Result>(
  app: App,
  { changer, organizationId }: ProviderManager,
  write: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  if (organizationId === null) return write(app.db);
  return withLockedOrganization(app, changer, organizationId, null, (statements, { catalog, standing }) => {
    assertPermitted(catalog, standing, 'sso:manage');
    return write(statements);
  });
}
