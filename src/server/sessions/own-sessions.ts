/** The sessions of a user as a list, and the end of one of them. Users and administrators share these rules. */
import { withLockedUser } from '../../db/account-locks.js';
import { endSessionOf, type ListedSession, readSessionsOf } from '../../db/sessions.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import type { App } from '../runtime/app.js';
import { sessionBounds } from './open.js';

/** Somebody who has more loses nothing: ending all others ends those, too. */
const MAX_LISTED = 200;

/** @returns the sessions that are still valid, those used last first; at most {@link MAX_LISTED} */
export const listSessions = (app: Pick<App, 'config' | 'db'>, userId: string): Promise<readonly ListedSession[]> =>
  readSessionsOf(app.db, userId, sessionBounds(app), MAX_LISTED);

/**
 * Ends one session of a user. Its access token is refused as after a sign-out, and auth codes that it has given out are
 * worth nothing.
 * @param actor who ends it, for the audit log
 * @param requestId for the audit log
 * @returns false when the user has no such session, or not any more
 */
export async function endSession(
  app: App,
  requestId: string,
  actor: Actor,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const id = readUuid(sessionId);
  if (id === null) return false;
  const audit = [auditEntry(actor, 'logout', { user_id: userId, session_id: id })];
  const isEnded = await withLockedUser(app.db, userId, (statements) =>
    endSessionOf(statements, userId, id, storedAudit(app, audit)),
  );
  if (isEnded) logAudit(app, requestId, audit);
  return isEnded;
}
