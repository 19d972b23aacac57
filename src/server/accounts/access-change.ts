import { isSessionAlive, withLockedUser } from '../../db/account-locks.js';
import type { Statements } from '../../db/types.js';
import type { App } from '../app.js';
import { apiError } from '../errors.js';
import type { UserCaller } from '../sessions/caller.js';

/**
 * Runs the statements of a change of credentials: password, addresses, identities. An access token may outlive its
 * session, so the session must still exist, under the lock that ending sessions also takes. A token without a session
 * was signed by an administrator and is accepted.
 * @throws ApiError sessionNotFound, and what `work` throws
 */
export async function changeAccess<Result>(
  app: Pick<App, 'db'>,
  caller: UserCaller,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  assertSessionWasAlive(caller);
  const { sessionId, user } = caller;
  return withLockedUser(app.db, user.id, async (statements) => {
    if (sessionId !== null && !(await isSessionAlive(statements, user.id, sessionId)))
      throw apiError('sessionNotFound');
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
