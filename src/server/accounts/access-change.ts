import { isSessionAlive, withLockedUser } from '../../db/account-locks.js';
import type { Statements } from '../../db/types.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import type { UserCaller } from './caller.js';

/**
 * Runs the statements of a change of who can get into an account: password, addresses, identities. An access token
 * outlives its session, and its holder may be the one whom the owner has just signed out; so the session has to exist at
 * the moment of the change, under the lock that every end of sessions takes. A token that names no session was signed by
 * an operator with the secret, and is let through.
 * @throws Refusal sessionNotFound, and what `work` throws
 */
export async function changeAccess<Result>(
  app: Pick<App, 'db'>,
  caller: UserCaller,
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  assertSessionWasAlive(caller);
  const { sessionId, user } = caller;
  return withLockedUser(app.db, user.id, async (statements) => {
    if (sessionId !== null && !(await isSessionAlive(statements, user.id, sessionId))) throw refuse('sessionNotFound');
    return work(statements);
  });
}

/**
 * Refuses a caller whose session had ended when the request was authenticated, before anything costly is begun.
 * @throws Refusal sessionNotFound
 */
export function assertSessionWasAlive({ sessionId, hasSession }: UserCaller): void {
  if (sessionId !== null && !hasSession) throw refuse('sessionNotFound');
}
