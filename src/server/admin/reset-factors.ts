/** Removal of all second factors of a user, for one who has lost them. */
import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { appendAudit } from '../../db/audit.js';
import { readFactors, removeFactor } from '../../db/factors.js';
import { endSessions } from '../../db/log-outs.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import { listPasskeys, removePasskey } from '../../db/passkeys.js';
import type { UserRow } from '../../db/user-rows.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { prepareFactorNotice } from '../factors/factor-notices.js';
import type { App } from '../runtime/app.js';
import { readUser } from './change-user.js';

export interface FactorReset {
  /** Ends all sessions. Otherwise they go on at AAL1. */
  readonly endsSessions: boolean;
  /** Removes the passkeys, too. */
  readonly removesPasskeys: boolean;
}

export interface FactorResetResult {
  readonly id: string;
  readonly removed_factors: number;
  readonly removed_passkeys: number;
}

/**
 * POST /admin/users/{user_id}/factors/reset.
 * @throws ApiError userIdNotUuid, userNotFound
 */
export async function resetFactorsAsAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
  reset: FactorReset,
): Promise<FactorResetResult> {
  const user = await readUser(app, pathId);
  const origin = { requestId, isAdmin: true } as const;
  const removedPasskeys = reset.removesPasskeys ? (await listPasskeys(app.db, user.id)).length || null : null;
  const notices = await prepareFactorNotice(app, origin, user, 'mfa_factors_reset_notification', null, {
    removedPasskeys,
  });
  const result = await resetFactors(app, requestId, admin, user, reset, notices);
  if (notices.length > 0) app.mail.nudge();
  return result;
}

/**
 * Recovery codes are a factor, and trusted devices end with theirs.
 * @param notices are stored with the change, if something was removed
 */
export async function resetFactors(
  app: Pick<App, 'config' | 'db' | 'log' | 'countAuditEvent'>,
  requestId: string,
  admin: Administrator,
  user: Readonly<UserRow>,
  { endsSessions, removesPasskeys }: FactorReset,
  notices: readonly MailInput[] = [],
): Promise<FactorResetResult> {
  const { id } = user;
  const traits = { user_id: id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
  const { removed, audit } = await withLockedUser(app.db, id, async (statements) => {
    const factors = await readFactors(statements, id);
    // One after another: removeFactor() decides what becomes of the sessions that a factor has raised.
    for (const factor of factors) await removeFactor(statements, factor.id, id, []);
    const passkeys = removesPasskeys ? await listPasskeys(statements, id) : [];
    for (const passkey of passkeys) await removePasskey(statements, id, passkey.id, []);
    const removed = { removed_factors: factors.length, removed_passkeys: passkeys.length };
    const counts = { factors: factors.length, ...(removesPasskeys && { passkeys: passkeys.length }) };
    const audit = [auditEntry(adminActor(admin), 'factors_reset', { ...traits, ...counts, logout: endsSessions })];
    const stored = storedAudit(app, audit);
    if (!endsSessions) await appendAudit(statements, stored);
    else {
      await endFlows(statements, id);
      await endSessions(statements, id, null, 'global', stored);
    }
    if (factors.length + passkeys.length > 0) await insertMails(statements, id, notices);
    return { removed, audit };
  });
  logAudit(app, requestId, audit);
  return { id, ...removed };
}
