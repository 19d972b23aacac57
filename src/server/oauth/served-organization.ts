/** The organization that a client serves: what administrators write of it, and what its own tokens say of it. */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { findOrganization } from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import { apiError } from '../errors.js';
import { keepRoles, withLockedOrganization } from '../organizations/locked-organization.js';
import { assertKnownRoles } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import { claimsOfRoles } from '../sessions/organization-claims.js';

type Served = Pick<OauthClientRow, 'organization_id' | 'org_roles'>;

/**
 * Runs what an administrator writes of a client. The organization and its roles are there until the end of it.
 * @param write statements only
 * @throws ApiError organizationNotFound, roleNotFound, organizationsDisabled, and what `write` throws
 */
export function withServedOrganization<Result>(
  app: Pick<App, 'config' | 'db' | 'organizationRoles'>,
  { organization_id: id, org_roles: roles }: Served,
  write: (db: Statements) => Promise<Result>,
): Promise<Result> {
  if (id === null) return write(app.db);
  return withLockedOrganization(app, { userId: null }, id, null, async (statements, { catalog }) => {
    assertKnownRoles(catalog, roles);
    await keepRoles(statements, roles);
    return write(statements);
  });
}

/**
 * What a token says that the client gets for itself (docs/organizations.md, Clients).
 * @throws ApiError machineOrganizationGone, overloaded
 */
export async function claimsOfServed(
  app: Pick<App, 'db' | 'organizationRoles'>,
  { organization_id: id, org_roles: given }: Served,
): Promise<Readonly<Record<string, unknown>>> {
  if (id === null) return {};
  const organization = app.organizationRoles && (await findOrganization(app.db, id));
  if (!app.organizationRoles || !organization) throw apiError('machineOrganizationGone');
  const catalog = app.organizationRoles.catalog();
  const roles = given.filter((role) => catalog.names.has(role));
  return claimsOfRoles(catalog, { id, slug: organization.slug, roles });
}

/** Whether the roles of the client permit it. One that serves all users is not limited. @throws ApiError overloaded */
export const isPermittedInServed = (
  { organizationRoles }: Pick<App, 'organizationRoles'>,
  { organization_id: id, org_roles: roles }: Served,
  permission: string,
): boolean => id === null || organizationRoles?.catalog().permits(roles, permission) === true;
