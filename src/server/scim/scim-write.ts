/** The transaction of a change: the account is locked, and so is the organization whose member the person is. */
import { withLockedUser } from '../../db/account-locks.js';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/errors.js';
import type { ScimVouchers } from '../../db/scim-users.js';
import type { Statements } from '../../db/types.js';
import { ApiError, apiError } from '../errors.js';
import { DEFAULT_ROLES } from '../organizations/change-members.js';
import { type LockedOrganization, withLockedOrganization } from '../organizations/locked-organization.js';
import { catalogOf } from '../organizations/organizations-on.js';
import { OWNER } from '../organizations/role-catalog.js';
import { assertMayRemove } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import type { ScimCaller } from './scim-caller.js';

/** @param userId null: the account is new. @param work gets null where there is no organization */
export function withLockedPerson<Result>(
  app: App,
  { organizationId }: ScimCaller,
  userId: string | null,
  work: (statements: Statements, locked: LockedOrganization | null) => Promise<Result>,
): Promise<Result> {
  // A rule that an owner or an administrator has set.
  const changer = { userId: null };
  if (organizationId !== null) return withLockedOrganization(app, changer, organizationId, userId, work);
  // A new account is one statement, which needs no transaction around it.
  if (userId === null) return work(app.db, null);
  return withLockedUser(app.db, userId, (statements) => work(statements, null));
}

/** Whose domains prove the addresses that a token sends. As at a sign-in, members of an organization vouch for its domains only. */
export const vouchersOf = (app: App, { providerId, organizationId, isOfOrganization }: ScimCaller): ScimVouchers => ({
  isTrusted: providerId !== null && !isOfOrganization && !app.config.samlRequireDomainProof,
  providerId,
  organizationId,
});

/** Which roles of the organization the identity provider may name: none that the maker of the token could not give, and no owner. */
export function givableRoles(app: App, { organizationId, mayGive }: ScimCaller): (name: string) => boolean {
  if (organizationId === null) return () => false;
  const { names } = catalogOf(app);
  return (name) => name !== OWNER && names.has(name) && (mayGive === null || mayGive.includes(name));
}

/** Only a token of an owner or administrator ends owners, and none the last one. @throws ApiError scimOwner, scimLastOwner */
export function assertMayEnd({ reachesOwners }: ScimCaller, locked: LockedOrganization | null): void {
  if (locked?.concerned == null || !locked.concerned.roles.includes(OWNER)) return;
  if (!reachesOwners) throw apiError('scimOwner');
  try {
    assertMayRemove(locked.catalog, locked.standing, locked.concerned, false);
  } catch (error) {
    throw error instanceof ApiError ? apiError('scimLastOwner', {}, { cause: error }) : error;
  }
}

/**
 * A userName and addresses decide who gets into an account at the identity provider. Who may only provision must not get into one with
 * roles beyond what he may give.
 * @throws ApiError scimMemberBeyond
 */
export function assertMayName({ reachesOwners, mayGive }: ScimCaller, locked: LockedOrganization | null): void {
  const isWithin = (role: string): boolean =>
    role === OWNER ? reachesOwners : mayGive === null || mayGive.includes(role) || DEFAULT_ROLES.includes(role);
  if (locked?.concerned != null && !locked.concerned.roles.every(isWithin)) throw apiError('scimMemberBeyond');
}

/** What a unique index refuses, in the words of SCIM. With its provider or organization a token has ended. */
export const asTaken = (error: unknown): unknown => {
  if (isForeignKeyViolation(error, 'scim_users_scope_id_fkey')) return apiError('scimTokenInvalid');
  if (isForeignKeyViolation(error, 'scim_groups_scope_id_fkey')) return apiError('scimTokenInvalid');
  if (isUniqueViolation(error, 'scim_users_name_key')) return apiError('scimUniqueness', { attribute: 'userName' });
  if (isUniqueViolation(error, 'scim_users_external_key'))
    return apiError('scimUniqueness', { attribute: 'externalId' });
  if (isUniqueViolation(error, 'scim_groups_name_key')) return apiError('scimUniqueness', { attribute: 'displayName' });
  if (isUniqueViolation(error, 'scim_groups_external_key'))
    return apiError('scimUniqueness', { attribute: 'externalId' });
  return error;
};
