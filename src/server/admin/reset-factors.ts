/** Removal of all second factors of a user, for one who has lost them. */
import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { appendAudit } from '../../db/audit.js';
import { readFactors, removeFactor } from '../../db/factors.js';
import { endSessions } from '../../db/sessions.js';
import type { UserRow } from '../../db/user-rows.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import type { App } from '../app.js';
import { readUser } from './change-user.js';

export interface FactorReset {
  /** Ends all sessions. Otherwise they go on at AAL1. */
  readonly endsSessions: boolean;
}

export interface FactorResetResult {
  readonly id: string;
  readonly removed_factors: number;
}

/**
 * POST /admin/users/{user_id}/factors/reset.
 * @throws ApiError userIdNotUuid, userNotFound
 */
export async function resetFactorsAsAdmin(
  app: Pick<App, 'config' | 'db' | 'log' | 'countAuditEvent'>,
  requestId: string,
  admin: Administrator,
  pathId: string,
  reset: FactorReset,
): Promise<FactorResetResult> {
  return resetFactors(app, requestId, admin, await readUser(app, pathId), reset);
}

/** Recovery codes are a factor, and trusted devices end with theirs. */
export async function resetFactors(
  app: Pick<App, 'config' | 'db' | 'log' | 'countAuditEvent'>,
  requestId: string,
  admin: Administrator,
  user: Readonly<UserRow>,
  { endsSessions }: FactorReset,
): Promise<FactorResetResult> {
  const { id } = user;
  const traits = { user_id: id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
  const { count, audit } = await withLockedUser(app.db, id, async (statements) => {
    const factors = await readFactors(statements, id);
    // One after another: removeFactor() decides what becomes of the sessions that a factor has raised.
    for (const factor of factors) await removeFactor(statements, factor.id, id, []);
    const count = factors.length;
    const audit = [auditEntry(adminActor(admin), 'factors_reset', { ...traits, factors: count, logout: endsSessions })];
    const stored = storedAudit(app, audit);
    if (!endsSessions) await appendAudit(statements, stored);
    else {
      await endFlows(statements, id);
      await endSessions(statements, id, null, 'global', stored);
    }
    return { count, audit };
  });
  logAudit(app, requestId, audit);
  return { id, removed_factors: count };
}
