/** Removal of second factors by their user. */
import { withLockedUser } from '../../db/account-locks.js';
import { readFactors, removeFactor } from '../../db/factors.js';
import { insertMails } from '../../db/outbox.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App, Client } from '../runtime/app.js';
import { readAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { prepareFactorNotice } from './factor-notices.js';
import { findOwnFactor, requireFactorCaller } from './own-factor.js';

/**
 * DELETE /factors/{factor_id}. Sessions keep the level that their other factors give them.
 * @throws ApiError of own-factor.ts; aalForUnenrolment, stepUpRequired, soleRecoveryCodes
 */
export async function unenrolFactor(
  app: App,
  client: Client,
  caller: UserCaller,
  factorId: string,
): Promise<{ id: string }> {
  requireFactorCaller(caller);
  const { id, status, kind } = findOwnFactor(caller, factorId);
  const { user, sessionId } = caller;
  const traits = { factor_id: id, factor_status: status, session_id: sessionId };
  const audit = [auditEntry(user, 'factor_unenrolled', traits)];
  const notices = await prepareFactorNotice(app, client, user, 'mfa_factor_unenrolled_notification', kind);
  await withLockedUser(app.db, user.id, async (statements) => {
    const factors = await readFactors(statements, user.id);
    const isVerified = factors.some((one) => one.id === id && one.status === 'verified');
    // An unverified factor guards nothing.
    if (isVerified) await readAssurance(app, statements, caller, 'aalForUnenrolment');
    const others = factors.filter((one) => one.id !== id && one.status === 'verified');
    if (isVerified && others.length > 0 && others.every((one) => one.kind === 'recovery_code')) {
      throw apiError('soleRecoveryCodes');
    }
    const removed = await removeFactor(statements, id, user.id, storedAudit(app, audit));
    if (removed === undefined) throw apiError('factorNotFound');
    await insertMails(statements, user.id, notices);
  });
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
  return { id };
}
