/**
 * What a session may change once its user has a second factor (docs/mfa.md, What it guards). The row of the session
 * counts, not its access token, which may be older.
 */
import { type LockedSession, readLockedSession } from '../../db/account-locks.js';
import type { Statements } from '../../db/types.js';
import type { UserRow } from '../../db/user-rows.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from './caller.js';
import { hasVerifiedFactor } from './verified-factor.js';

/** The errors of supabase/auth for a session below AAL2. Their statuses differ, too. */
export type AssuranceError =
  | 'aalForCredentials'
  | 'aalForEnrolment'
  | 'aalForUnenrolment'
  | 'aalForPasskeys'
  | 'aalForRecoveryCodes'
  | 'aalForAccess'
  | 'aalForOrganization'
  | 'aalForConsent';

type GuardedCaller = Pick<UserCaller, 'sessionId'> & { readonly user: Pick<UserRow, 'id' | 'factors'> };

/**
 * Asserts that the session may change who can get into the account: the user has no verified second factor, or the
 * session was raised by one, within SECURITY_STEP_UP_MAX_AGE. Reads nothing for users without factors.
 * @throws ApiError the given one; stepUpRequired, sessionNotFound
 */
export async function assertAssurance(
  app: Pick<App, 'config' | 'db'>,
  caller: GuardedCaller,
  error: AssuranceError,
): Promise<void> {
  if (hasVerifiedFactor(caller.user)) await readAssurance(app, app.db, caller, error);
}

/**
 * The same with the account locked, and for every user: the session must also still exist. A token without a session was
 * signed by an administrator; it may change what no factor guards.
 * @returns the level of the session; null: a token without one
 * @throws ApiError those of {@link assertAssurance}
 */
export async function readAssurance(
  app: Pick<App, 'config'>,
  statements: Statements,
  { user, sessionId }: GuardedCaller,
  error: AssuranceError,
): Promise<'aal1' | 'aal2' | null> {
  if (sessionId === null) {
    if (hasVerifiedFactor(user)) throw apiError(error);
    return null;
  }
  const session = await readLockedSession(statements, user.id, sessionId);
  if (session === undefined) throw apiError('sessionNotFound');
  assertLevel(app, session, error);
  return session.aal;
}

function assertLevel({ config }: Pick<App, 'config'>, session: LockedSession, error: AssuranceError): void {
  if (session.needs_factor) throw apiError(error);
  const maxAge = config.securityStepUpMaxAgeSeconds;
  if (maxAge === null || !session.has_factor) return;
  if (session.factor_age_seconds === null || session.factor_age_seconds > maxAge) {
    throw apiError('stepUpRequired', {}, { extra: { max_age: maxAge } });
  }
}
