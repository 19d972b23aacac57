/** A person becomes a member of the organization whose identity provider provisions. */
import { renewScimRoles, type WrittenScimUser } from '../../db/scim-users.js';
import type { Statements } from '../../db/types.js';
import type { AuditEntry } from '../accounts/audit.js';
import { DEFAULT_ROLES, describeJoining, joinOrganization } from '../organizations/change-members.js';
import type { LockedOrganization } from '../organizations/locked-organization.js';
import { assertAddressAllowed } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import { scimActor } from './scim-audit.js';
import type { ScimCaller } from './scim-caller.js';

/**
 * Who is a member stays one.
 * @returns audit entries
 * @throws ApiError organizationAddressNotAllowed, tooManyMembers
 */
export async function joinCompany(
  app: App,
  statements: Statements,
  caller: ScimCaller,
  { organization, concerned }: LockedOrganization,
  userId: string,
  { email, askedRoles }: WrittenScimUser,
): Promise<readonly AuditEntry[]> {
  const audit: AuditEntry[] = [];
  if (concerned === null) {
    assertAddressAllowed(organization.policies, email);
    const member = { organizationId: organization.id, userId, roles: DEFAULT_ROLES, via: 'scim' } as const;
    audit.push(describeJoining(scimActor(caller), member));
    await joinOrganization(app, statements, organization, member, audit);
  }
  if (askedRoles.length > 0) await renewScimRoles(statements, caller.scopeId, [userId]);
  return audit;
}
