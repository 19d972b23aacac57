/** Who manages identity providers: an administrator all of them, a member those of an organization. */
import { listOrganizationDomains } from '../../../db/organization-domains.js';
import {
  listSsoProvidersOf,
  readGivenRoles,
  type SsoProviderRow,
  type WrittenSsoProvider,
} from '../../../db/sso-providers.js';
import type { Statements } from '../../../db/types.js';
import type { Administrator } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import { assertMayChangeAccess } from '../../organizations/access-guard.js';
import { readOwnOrganization } from '../../organizations/change-organization.js';
import { allJoiningRoles } from '../../organizations/joining-roles.js';
import {
  type Changer,
  changerOfAdmin,
  changerOfUser,
  withLockedOrganization,
} from '../../organizations/locked-organization.js';
import { writeInPlace } from '../../organizations/provider-place.js';
import { assertMayProvide, assertPermitted } from '../../organizations/rules.js';
import type { App } from '../../runtime/app.js';
import type { UserCaller } from '../../sessions/caller.js';
import { readSsoProvider } from './find-sso-provider.js';

export interface ProviderManager {
  readonly changer: Changer;
  /** The only organization whose providers may be managed; null: all may. */
  readonly organizationId: string | null;
}

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
): Promise<ProviderManager & { readonly organizationId: string }> {
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
): Promise<ProviderManager & { readonly organizationId: string }> {
  const manager = await managerOfOrganization(app, requestId, caller, pathId);
  await assertMayChangeAccess(app, caller);
  return manager;
}

/**
 * A provider that may be managed. A member knows it by its id only.
 * @throws ApiError ssoIdentityProviderNotFound
 */
export async function readManagedProvider(
  app: Pick<App, 'db'>,
  { organizationId }: Pick<ProviderManager, 'organizationId'>,
  id: string,
): Promise<SsoProviderRow> {
  const row = await readSsoProvider(app, id);
  const isReached = organizationId === null || (row.organization_id === organizationId && row.id === id.toLowerCase());
  if (!isReached) throw apiError('ssoIdentityProviderNotFound');
  return row;
}

type Written = Pick<WrittenSsoProvider, 'organization_id' | 'roles' | 'role_mapping' | 'domains'>;

/**
 * Writes a provider. That of an organization is written in a transaction that has locked it, once the rules permit it.
 * @param before as it was; null: it is new
 * @param isMetadataNew whose word counts changes
 * @throws ApiError organizationsDisabled, organizationNotFound, organizationPermissionMissing, ownersOnly, roleNotFound,
 *   ssoFieldInvalid, tooManySsoProviders, and what `write` throws
 */
export function writeProvider<Result>(
  app: App,
  { changer }: ProviderManager,
  written: Written,
  before: SsoProviderRow | null,
  isMetadataNew: boolean,
  write: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  return writeInPlace(app, changer, written, before, write, async (statements, { catalog, standing, organization }) => {
    const isOthers = isMetadataNew && before !== null;
    const held = isOthers ? await readGivenRoles(statements, organization.id, before.id) : [];
    assertMayProvide(catalog, standing, allJoiningRoles(written), held);
    if (standing.kind !== 'member') return;
    await assertProvenDomains(statements, organization.id, written.domains, before?.domains ?? []);
    if (before === null) await assertRoom(statements, organization.id);
  });
}

/** @throws ApiError ssoFieldInvalid */
async function assertProvenDomains(
  statements: Statements,
  organizationId: string,
  domains: readonly string[],
  former: readonly string[],
): Promise<void> {
  const added = domains.filter((domain) => !former.includes(domain));
  if (added.length === 0) return;
  const rows = await listOrganizationDomains(statements, organizationId);
  const proven = new Set(rows.filter(({ verified_at }) => verified_at !== null).map(({ domain }) => domain));
  const foreign = added.find((domain) => !proven.has(domain));
  if (foreign !== undefined) {
    throw apiError('ssoFieldInvalid', {
      reason: `domains must be verified domains of the organization, and ${foreign.slice(0, 100)} is none`,
    });
  }
}

/** @throws ApiError tooManySsoProviders */
async function assertRoom(statements: Statements, organizationId: string): Promise<void> {
  const rows = await listSsoProvidersOf(statements, organizationId);
  if (rows.length >= MAX_OF_ORGANIZATION) throw apiError('tooManySsoProviders', { limit: MAX_OF_ORGANIZATION });
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
