import { withLockedUser } from '../../db/account-locks.js';
import type { Statements } from '../../db/types.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
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

/**
 * For second factors and passkeys, which belong to accounts with a session that still exists.
 * @returns its id
 * @throws ApiError sessionNotFound, also for a token without a session
 */
export function requireSession(caller: UserCaller): string {
  assertSessionWasAlive(caller);
  if (caller.sessionId === null) throw apiError('sessionNotFound');
  return caller.sessionId;
}

/** @throws ApiError anonymousNotAllowed, by the token as in supabase/auth */
export function assertNotAnonymous({ claims }: UserCaller): void {
  if (claims['is_anonymous'] === true) throw apiError('anonymousNotAllowed');
}
