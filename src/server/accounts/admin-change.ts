import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { type AdminChanges, changeUserAsAdmin, deleteUser, findUserById } from '../../db/admin-users.js';
import { findAddressHolders, type Metadata, type UserRow } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { normaliseEmail, normalisePhone } from './addresses.js';
import { contactIdentities, type Operator } from './admin-contacts.js';
import { adminActor, auditEntry, logAudit, storedAudit } from './audit.js';
import { readBanDuration } from './ban-duration.js';
import { planMetadata } from './metadata.js';
import { assertPasswordAcceptable } from './passwords.js';
import { viewUser } from './user-view.js';
import { readUuid } from './uuid.js';

/** What PUT /admin/users/{user_id} may carry (operations.md 1.7). */
export interface AdminUpdate {
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  /** Null: not given; an empty one is too short. */
  readonly password: string | null;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly userMetadata: Metadata | null;
  readonly appMetadata: Metadata | null;
  readonly banDuration: string;
}

/**
 * Finds the account a path names.
 * @throws Refusal userIdNotUuid, userNotFound
 */
export async function readUser(app: Pick<App, 'db'>, pathId: string): Promise<UserRow> {
  const id = readUuid(pathId);
  if (id === null) throw refuse('userIdNotUuid');
  const user = await findUserById(app.db, id);
  if (user === undefined) throw refuse('userNotFound');
  return user;
}

/**
 * PUT /admin/users/{user_id}. A new password and a ban end every session of the account (SEC-55).
 * @returns the user object
 * @throws Refusal as operations.md 1.7, in that order; a soft-deleted account is not found
 */
export async function updateUserAsAdmin(
  app: App,
  requestId: string,
  operator: Operator,
  pathId: string,
  update: AdminUpdate,
): Promise<Record<string, unknown>> {
  const user = await readUser(app, pathId);
  if (user.deleted_at !== null) throw refuse('userNotFound');
  const email = update.email ? normaliseEmail(update.email) : null;
  const phone = update.phone ? normalisePhone(update.phone) : null;
  const ban = readBanDuration(update.banDuration);
  if (update.password !== null) assertPasswordAcceptable(update.password, app.config);
  const metadata = planMetadata(app.config, user, { user: update.userMetadata, app: update.appMetadata });
  await assertFree(app, user.id, email, phone);

  const audit = [auditEntry(adminActor(operator), 'user_modified', traitsOf(user, email, phone))];
  const row = await apply(app, user.id, {
    role: update.role.trim() || null,
    confirmsEmail: update.confirmsEmail,
    confirmsPhone: update.confirmsPhone,
    passwordHash: update.password === null ? null : await app.crypto.hashPassword(update.password),
    email,
    phone,
    ...metadata,
    ban,
    identities: contactIdentities(
      user.id,
      { email, phone },
      { email: update.confirmsEmail, phone: update.confirmsPhone },
    ),
    audit: storedAudit(app, audit),
  });
  if (row === undefined) throw refuse('userNotFound');
  logAudit(app, requestId, audit);
  return viewUser(row);
}

async function assertFree(app: App, userId: string, email: string | null, phone: string | null): Promise<void> {
  if (email === null && phone === null) return;
  const holders = await findAddressHolders(app.db, userId, email, phone);
  if (holders.email_taken) throw refuse('emailExists');
  if (holders.phone_taken) throw refuse('phoneRegistered');
}

/** The unique index decides where two reach for one address at once. */
async function apply(app: App, userId: string, changes: AdminChanges): Promise<UserRow | undefined> {
  try {
    return await withLockedUser(app.db, userId, async (statements) => {
      if (changes.passwordHash !== null || changes.ban?.seconds) await endFlows(statements, userId);
      return changeUserAsAdmin(statements, userId, changes);
    });
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505') throw error;
    throw refuse(constraint === 'users_phone_key' ? 'phoneRegistered' : 'emailExists');
  }
}

/**
 * DELETE /admin/users/{user_id}; a soft one again is no deed, and no error (operations.md 1.11).
 * @throws Refusal userIdNotUuid, userNotFound
 */
export async function deleteUserAsAdmin(
  app: App,
  requestId: string,
  operator: Operator,
  pathId: string,
  kind: 'hard' | 'soft',
): Promise<void> {
  const user = await readUser(app, pathId);
  const audit = [auditEntry(adminActor(operator), 'user_deleted', traitsOf(user, null, null))];
  const isDone = await withLockedUser(app.db, user.id, (statements) =>
    deleteUser(statements, user.id, kind, storedAudit(app, audit)),
  );
  if (isDone) logAudit(app, requestId, audit);
  else if (kind === 'hard') throw refuse('userNotFound');
}

const traitsOf = (user: UserRow, email: string | null, phone: string | null) => ({
  user_id: user.id,
  user_email: email ?? user.email ?? '',
  user_phone: phone ?? user.phone ?? '',
});
