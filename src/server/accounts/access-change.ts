import { withLockedUser } from '../../db/account-locks.js';
import type { Statements } from '../../db/types.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import { type AssuranceError, readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';

/**
 * Runs the statements of a change of credentials: password, addresses, identities. An access token may outlive its
 * session, so the session must still exist, under the lock that ending sessions also takes, and have the level that the
 * user's second factors ask for. A token without a session was signed by an administrator and is accepted.
 * @param error for a session below that level
 * @throws ApiError sessionNotFound, stepUpRequired, the given one, and what `work` throws
 */
export async function changeAccess<Result>(
  app: Pick<App, 'config' | 'db'>,
  caller: UserCaller,
  error: AssuranceError,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  assertSessionWasAlive(caller);
  return withLockedUser(app.db, caller.user.id, async (statements) => {
    await readAssurance(app, statements, caller, error);
    return work(statements);
  });
}

/**
 * Rejects a caller whose session had ended at authentication, before any expensive work.
 * @throws ApiError sessionNotFound
 */
export function assertSessionWasAlive({ sessionId, hasSession }: UserCaller): void {
  if (sessionId !== null && !hasSession) throw apiError('sessionNotFound');
}
