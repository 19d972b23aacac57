/** Providers of SAML that an administrator or a member manages. */
import { listOrganizationDomains } from '../../../db/organization-domains.js';
import type { SsoProviderRow, WrittenSsoProvider } from '../../../db/sso-providers.js';
import type { Statements } from '../../../db/types.js';
import { apiError } from '../../errors.js';
import { allJoiningRoles } from '../../organizations/joining-roles.js';
import { assertMayWriteProvider, type ProviderManager } from '../../organizations/provider-manager.js';
import { writeInPlace } from '../../organizations/provider-place.js';
import type { App } from '../../runtime/app.js';
import { readSsoProvider } from './find-sso-provider.js';

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
  return writeInPlace(app, changer, written, before, write, async (statements, locked) => {
    const identities = before && `sso:${before.id}`;
    await assertMayWriteProvider(statements, locked, allJoiningRoles(written), identities, isMetadataNew);
    if (locked.standing.kind !== 'member') return;
    await assertProvenDomains(statements, locked.organization.id, written.domains, before?.domains ?? []);
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
