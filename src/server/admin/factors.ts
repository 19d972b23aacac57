/** Administrators' work on the second factors of a user. */
import { withLockedUser } from '../../db/account-locks.js';
import { isUniqueViolation } from '../../db/errors.js';
import { removeFactor, updateFactor } from '../../db/factors.js';
import { insertMails } from '../../db/outbox.js';
import type { FactorSummary } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { normalisePhone } from '../accounts/addresses.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { viewFactor } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import { prepareFactorNotice } from '../factors/factor-notices.js';
import type { App } from '../runtime/app.js';
import { readUser } from './change-user.js';

type FactorView = Record<string, unknown>;

/** @returns oldest first. @throws ApiError userIdNotUuid, userNotFound */
export async function listFactors(app: Pick<App, 'db'>, pathId: string): Promise<readonly FactorView[]> {
  return ((await readUser(app, pathId)).factors ?? []).map(viewFactor);
}

/**
 * Renames a factor, or changes the number of a phone factor, which stays verified. Empty values change nothing.
 * @throws ApiError factorIdNotUuid, factorNotFound, phoneInvalid, factorNameTaken, factorPhoneTaken
 */
export async function updateFactorAsAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  path: { readonly userId: string; readonly factorId: string },
  change: { readonly friendlyName: string; readonly phone: string },
): Promise<FactorView> {
  const { user, factor } = await findFactor(app, path);
  const phone = factor.kind === 'phone' && change.phone !== '' ? normalisePhone(change.phone) : null;
  const audit = [auditEntry(adminActor(admin), 'factor_updated', { user_id: user.id, factor_id: factor.id })];
  const wanted = { friendlyName: change.friendlyName || null, phone };
  try {
    const updated = await withLockedUser(app.db, user.id, (statements) =>
      updateFactor(statements, factor.id, user.id, wanted, storedAudit(app, audit)),
    );
    if (updated === undefined) throw apiError('factorNotFound');
    logAudit(app, requestId, audit);
    return viewFactor(updated);
  } catch (error) {
    if (isUniqueViolation(error, 'mfa_factors_phone_key')) throw apiError('factorPhoneTaken');
    if (isUniqueViolation(error, 'mfa_factors_name_key')) {
      throw apiError('factorNameTaken', { name: JSON.stringify(change.friendlyName) });
    }
    throw error;
  }
}

/**
 * Removes a factor; sessions keep the level that their other factors give them.
 * @throws ApiError userIdNotUuid, userNotFound, factorIdNotUuid, factorNotFound
 */
export async function deleteFactorAsAdmin(
  app: App,
  requestId: string,
  path: { readonly userId: string; readonly factorId: string },
  operator?: Administrator,
): Promise<FactorView> {
  const { user, factor } = await findFactor(app, path);
  // For the API the actor is the user, as in supabase/auth.
  const actor = operator === undefined ? user : adminActor(operator);
  const audit = [auditEntry(actor, 'factor_deleted', { user_id: user.id, factor_id: factor.id })];
  const origin = { requestId, isAdmin: true } as const;
  const notices = await prepareFactorNotice(app, origin, user, 'mfa_factor_unenrolled_notification', factor.kind);
  await withLockedUser(app.db, user.id, async (statements) => {
    const removed = await removeFactor(statements, factor.id, user.id, storedAudit(app, audit));
    if (removed === undefined) throw apiError('factorNotFound');
    await insertMails(statements, user.id, notices);
  });
  logAudit(app, requestId, audit);
  if (notices.length > 0) app.mail.nudge();
  return viewFactor(factor);
}

async function findFactor(app: App, { userId, factorId }: { readonly userId: string; readonly factorId: string }) {
  const user = await readUser(app, userId);
  const id = readUuid(factorId);
  if (id === null) throw apiError('factorIdNotUuid');
  const factor: FactorSummary | undefined = user.factors?.find((one) => one.id === id);
  if (factor === undefined) throw apiError('factorNotFound');
  return { user, factor };
}
