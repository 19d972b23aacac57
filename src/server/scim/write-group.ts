/** The transaction of a change of a group, and what a token may give by one. */
import { findRolesGained, lockScimPeople, type ScimGroupGain } from '../../db/scim-groups.js';
import type { Statements } from '../../db/types.js';
import { apiError } from '../errors.js';
import { DEFAULT_ROLES } from '../organizations/change-members.js';
import type { App } from '../runtime/app.js';
import type { ScimCaller } from './scim-caller.js';
import { asTaken } from './scim-write.js';

/**
 * Runs a change in a transaction that has locked the people whom it concerns, in the order of their ids: changes of several groups wait
 * for each other, and a person who is deleted meanwhile is no member afterwards.
 * @param ids people who come or go
 * @param groupId whose members are concerned, too; null: of none
 * @throws ApiError scimUniqueness, scimTokenInvalid, and what `work` throws
 */
export async function withLockedPeople<Result>(
  { db }: Pick<App, 'db'>,
  { scopeId }: ScimCaller,
  ids: readonly string[],
  groupId: string | null,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction(async (statements) => {
      await lockScimPeople(statements, scopeId, ids, groupId);
      return work(statements);
    });
  } catch (error) {
    throw asTaken(error);
  }
}

/**
 * New members get the roles that the organization gives to the group. Who has made the token must be able to give them.
 * @throws ApiError scimGroupBeyond
 */
export async function assertMayFill(
  statements: Statements,
  { scopeId, organizationId, mayGive }: ScimCaller,
  gain: ScimGroupGain,
): Promise<void> {
  if (mayGive === null || organizationId === null) return;
  const roles = await findRolesGained(statements, scopeId, organizationId, gain);
  if (!roles.every((role) => mayGive.includes(role) || DEFAULT_ROLES.includes(role))) throw apiError('scimGroupBeyond');
}
