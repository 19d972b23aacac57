/** What operators do to accounts, by the rules for administrators. */
import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { endSessions } from '../../db/log-outs.js';
import { adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { deleteUserAsAdmin, readUser, updateUserAsAdmin } from '../admin/change-user.js';
import { ApiError, apiError } from '../errors.js';
import type { SoleOwned } from '../organizations/end-memberships.js';
import type { App } from '../runtime/app.js';
import { endSession } from '../sessions/own-sessions.js';
import { assertOptOutKept } from './impersonate.js';
import { asAdministrator, type OperatorDeed } from './operator-audit.js';

/** What can be done to one account or to many. */
export const userActions = ['ban', 'unban', 'confirm', 'sign_out'] as const;
export type UserAction = (typeof userActions)[number];

export interface UserChange {
  readonly banDuration?: string;
  readonly confirmsEmail?: boolean;
  readonly confirmsPhone?: boolean;
  readonly email?: string;
  readonly phone?: string;
  readonly userMetadata?: Readonly<Record<string, unknown>> | null;
  readonly appMetadata?: Readonly<Record<string, unknown>> | null;
  /** `updated_at` as the operator saw it; null: whatever it is. */
  readonly unchangedSince?: string | null;
}

/** A century: until somebody lifts it. */
const FOR_GOOD = '876000h';

/** @returns the user object. @throws ApiError as updateUserAsAdmin, userChangedMeanwhile, impersonationChoiceKept */
export function changeUser(app: App, deed: OperatorDeed, userId: string, change: UserChange) {
  assertOptOutKept(change.appMetadata);
  return updateUserAsAdmin(app, deed.requestId, asAdministrator(deed), userId, {
    role: '',
    email: change.email ?? '',
    phone: change.phone ?? '',
    password: null,
    confirmsEmail: change.confirmsEmail ?? false,
    confirmsPhone: change.confirmsPhone ?? false,
    userMetadata: change.userMetadata ?? null,
    appMetadata: change.appMetadata ?? null,
    banDuration: change.banDuration ?? '',
    unchangedSince: change.unchangedSince ?? null,
  });
}

/** @throws ApiError userIdNotUuid, userNotFound */
export async function signOutUser(app: App, deed: OperatorDeed, pathId: string): Promise<void> {
  const user = await readUser(app, pathId);
  const traits = { user_id: user.id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
  const audit = [auditEntry(adminActor(asAdministrator(deed)), 'logout', traits)];
  await withLockedUser(app.db, user.id, async (statements) => {
    await endFlows(statements, user.id);
    await endSessions(statements, user.id, null, 'global', storedAudit(app, audit));
  });
  logAudit(app, deed.requestId, audit);
}

/** @throws ApiError userIdNotUuid, userNotFound, userSessionNotFound */
export async function endUserSession(app: App, deed: OperatorDeed, pathId: string, sessionId: string): Promise<void> {
  const user = await readUser(app, pathId);
  const actor = adminActor(asAdministrator(deed));
  if (!(await endSession(app, deed.requestId, actor, user.id, sessionId))) throw apiError('userSessionNotFound');
}

export async function actOnUser(
  app: App,
  deed: OperatorDeed,
  userId: string,
  action: UserAction,
  banDuration = FOR_GOOD,
): Promise<void> {
  if (action === 'sign_out') return signOutUser(app, deed, userId);
  if (action === 'ban') await changeUser(app, deed, userId, { banDuration });
  else if (action === 'unban') await changeUser(app, deed, userId, { banDuration: 'none' });
  else {
    const user = await readUser(app, userId);
    await changeUser(app, deed, userId, { confirmsEmail: user.email !== null, confirmsPhone: user.phone !== null });
  }
}

export interface BulkResult {
  readonly id: string;
  readonly error_code: string | null;
  readonly msg: string | null;
}

/** One account after another, each in a transaction of its own with its audit entry, so that none is half done. */
export async function forEachUser(
  ids: readonly string[],
  act: (id: string) => Promise<void>,
): Promise<readonly BulkResult[]> {
  const results: BulkResult[] = [];
  for (const id of new Set(ids)) {
    try {
      await act(id);
      results.push({ id, error_code: null, msg: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      results.push({ id, error_code: error.errorCode, msg: error.message });
    }
  }
  return results;
}

/**
 * @param typed the address, number or id of the account, as the operator typed it
 * @param organizations what becomes of those that the user owns alone and that have other members
 * @throws ApiError userIdNotUuid, userNotFound, userNotNamed, lastOwner
 */
export async function deleteNamedUser(
  app: App,
  deed: OperatorDeed,
  pathId: string,
  typed: string,
  kind: 'hard' | 'soft',
  organizations: SoleOwned = 'refuse',
): Promise<void> {
  const user = await readUser(app, pathId);
  const name = user.email || user.phone || user.id;
  if (typed.trim().toLowerCase() !== name) throw apiError('userNotNamed');
  await deleteUserAsAdmin(app, deed.requestId, asAdministrator(deed), user.id, kind, organizations);
}
