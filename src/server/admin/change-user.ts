import { endFlows, withLockedUser } from '../../db/account-locks.js';
import { type AdminChanges, applyAdminChanges, findUserById } from '../../db/admin-users.js';
import { endUndos } from '../../db/notices.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import type { Metadata, UserRow } from '../../db/user-rows.js';
import { readPasswordHash } from '../../db/users.js';
import { readUuid } from '../../db/uuid.js';
import { normaliseEmail, normalisePhone } from '../accounts/addresses.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { contactIdentities } from '../accounts/contact-identities.js';
import { deleteLocked } from '../accounts/delete-account.js';
import { assertAddressesFree, catchTakenAddress } from '../accounts/free-addresses.js';
import { planMetadata } from '../accounts/metadata.js';
import { emailForIdentity, withEmailProvider } from '../accounts/new-password.js';
import { assertPasswordAcceptable } from '../accounts/passwords.js';
import { viewUser } from '../accounts/user-view.js';
import { apiError } from '../errors.js';
import { adminChanges } from '../notices/changes.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { SoleOwned } from '../organizations/end-memberships.js';
import type { App } from '../runtime/app.js';
import { readBanDuration } from './ban-duration.js';
import { describeChange } from './describe-change.js';

interface AdminUpdate {
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  /** Null: not given; an empty password is too short. */
  readonly password: string | null;
  readonly confirmsEmail: boolean;
  readonly confirmsPhone: boolean;
  readonly userMetadata: Metadata | null;
  readonly appMetadata: Metadata | null;
  readonly banDuration: string;
  /** `updated_at` of the account that the change is meant for; null: whatever it is. */
  readonly unchangedSince?: string | null;
}

/**
 * Reads the account of a path parameter.
 * @throws ApiError userIdNotUuid, userNotFound
 */
export async function readUser(app: Pick<App, 'db'>, pathId: string): Promise<UserRow> {
  const id = readUuid(pathId);
  if (id === null) throw apiError('userIdNotUuid');
  const user = await findUserById(app.db, id);
  if (user === undefined) throw apiError('userNotFound');
  return user;
}

/**
 * PUT /admin/users/{user_id}. A new password and a ban end every session of the account (SEC-55).
 * @returns the user object
 * @throws ApiError in the order of docs/decisions.md, Order of checks; userNotFound for soft-deleted accounts, too;
 *   userChangedMeanwhile
 */
export async function updateUserAsAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
  update: AdminUpdate,
): Promise<Record<string, unknown>> {
  const user = await readUser(app, pathId);
  if (user.deleted_at !== null) throw apiError('userNotFound');
  const email = update.email ? normaliseEmail(update.email) : null;
  const phone = update.phone ? normalisePhone(update.phone) : null;
  const ban = readBanDuration(update.banDuration);
  if (update.password !== null) {
    const next = { ...update, user_metadata: update.userMetadata ?? {} };
    await assertPasswordAcceptable(app, update.password, user, next);
  }
  const metadata = planMetadata(app.config, user, { user: update.userMetadata, app: update.appMetadata });
  await assertAddressesFree(app, user.id, { email, phone }, 'phoneRegistered');
  const firstEmail = update.password !== null && email === null ? await findFirstEmail(app, user) : null;

  // Operators of the console are told apart, and what they changed is, too.
  const told = admin.deed === undefined ? {} : describeChange(user, { ...update, email, phone });
  const audit = [auditEntry(adminActor(admin), 'user_modified', { ...buildTraits(user, email, phone), ...told })];
  const notices = await prepareNotices(
    app,
    { requestId, isAdmin: true },
    adminChanges(app, user, update.password !== null, email, phone),
  );
  const { unchangedSince = null } = update;
  const row = await writeChanges(app, user.id, unchangedSince, notices, {
    role: update.role.trim() || null,
    confirmsEmail: update.confirmsEmail,
    confirmsPhone: update.confirmsPhone,
    passwordHash: update.password === null ? null : await app.crypto.hashPassword(update.password),
    email,
    phone,
    userMetadata: metadata.userMetadata,
    appMetadata: firstEmail === null ? metadata.appMetadata : withEmailProvider(metadata.appMetadata, user),
    ban,
    identities: contactIdentities(
      user.id,
      { email: email ?? firstEmail, phone },
      { email: update.confirmsEmail || firstEmail !== null, phone: update.confirmsPhone },
    ),
    audit: storedAudit(app, audit),
  });
  if (row === undefined) throw apiError('userNotFound');
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, requestId, audit);
  return viewUser(row);
}

/** The address that becomes an identity with a first password. */
async function findFirstEmail(app: App, user: UserRow): Promise<string | null> {
  const email = emailForIdentity(app, user);
  return email === null || (await readPasswordHash(app.db, user.id)) !== null ? null : email;
}

function writeChanges(
  app: App,
  userId: string,
  unchangedSince: string | null,
  notices: readonly MailInput[],
  changes: AdminChanges,
): Promise<UserRow | undefined> {
  return catchTakenAddress('phoneRegistered', () =>
    withLockedUser(app.db, userId, async (statements) => {
      if (unchangedSince !== null && (await findUserById(statements, userId))?.updated_at !== unchangedSince) {
        throw apiError('userChangedMeanwhile');
      }
      if (changes.passwordHash !== null || changes.ban?.seconds) await endFlows(statements, userId);
      const row = await applyAdminChanges(statements, userId, changes);
      if (changes.email !== null) await endUndos(statements, userId);
      if (row !== undefined) await insertMails(statements, userId, notices);
      return row;
    }),
  );
}

/**
 * DELETE /admin/users/{user_id}; a second soft deletion changes nothing and succeeds.
 * @param organizations what becomes of those that have no other owner
 * @throws ApiError userIdNotUuid, userNotFound, lastOwner
 */
export async function deleteUserAsAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  pathId: string,
  kind: 'hard' | 'soft',
  organizations: SoleOwned,
): Promise<void> {
  const user = await readUser(app, pathId);
  const notices = await prepareNotices(app, { requestId, isAdmin: true }, [
    { kind: 'account_deleted_notification', to: recipientOf(user) },
  ]);
  const deletion = { actor: adminActor(admin), traits: buildTraits(user, null, null), notices, organizations };
  const audit = await withLockedUser(app.db, user.id, (statements) =>
    deleteLocked(app, statements, user.id, kind, deletion),
  );
  if (audit !== undefined && notices.length > 0) app.mail.nudge();
  if (audit !== undefined) logAudit(app, requestId, audit);
  else if (kind === 'hard') throw apiError('userNotFound');
}

const buildTraits = (user: UserRow, email: string | null, phone: string | null) => ({
  user_id: user.id,
  user_email: email ?? user.email ?? '',
  user_phone: phone ?? user.phone ?? '',
});
