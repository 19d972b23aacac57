/**
 * Whoever changes what gives lasting access to an organization, such as its owners, policies, automatic joins, clients, identity providers
 * and tokens, shows a second factor where there is one: otherwise what is made so would outlive a stolen password. Ending access asks for nothing where it gives none.
 */
import type { Statements } from '../../db/types.js';
import type { ErrorName } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertAssurance, readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { hasVerifiedFactor } from '../sessions/verified-factor.js';
import type { Changer } from './locked-organization.js';
import { OWNER } from './role-catalog.js';

/** Of endpoints that ask {@link assertMayChangeAccess}. */
export const accessGuardErrors = ['aalForOrganization', 'stepUpRequired'] as const satisfies readonly ErrorName[];

/**
 * Comes after the permission, so that the refusal tells strangers nothing. Reads nothing for users without factors.
 * @throws ApiError aalForOrganization, stepUpRequired, sessionNotFound
 */
export const assertMayChangeAccess = (
  app: Pick<App, 'config' | 'db'>,
  caller: Pick<UserCaller, 'user' | 'sessionId'>,
): Promise<void> => assertAssurance(app, caller, 'aalForOrganization');

/**
 * The same in the transaction of a change. Administrators are not asked here: their tokens are no sessions of members.
 * @throws ApiError aalForOrganization, stepUpRequired, sessionNotFound
 */
export async function assertChangesAccess(
  app: Pick<App, 'config'>,
  statements: Statements,
  { session }: Pick<Changer, 'session'>,
): Promise<void> {
  if (session !== undefined && hasVerifiedFactor(session.user)) {
    await readAssurance(app, statements, session, 'aalForOrganization');
  }
}

/** @param roles that are given anew. @throws ApiError those of {@link assertChangesAccess}, where one makes an owner */
export async function assertMayMakeOwner(
  app: Pick<App, 'config'>,
  statements: Statements,
  changer: Pick<Changer, 'session'>,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(OWNER)) await assertChangesAccess(app, statements, changer);
}
