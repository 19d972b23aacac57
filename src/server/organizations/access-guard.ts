/**
 * Whoever changes what gives lasting access to an organization, such as its clients, identity providers and tokens, shows a second factor
 * where there is one: otherwise what is made so would outlive a stolen password. Ending access asks for nothing where it gives none.
 */
import type { ErrorName } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';

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
