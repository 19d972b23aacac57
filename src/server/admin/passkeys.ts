/** What administrators do with the passkeys of a user. It works with AUTH_PASSKEY_ENABLED off, too. */
import { withLockedUser } from '../../db/account-locks.js';
import { insertMails } from '../../db/outbox.js';
import { listPasskeys, removePasskey } from '../../db/passkeys.js';
import { type Administrator, adminActor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import { readPasskeyId } from '../passkeys/own-passkeys.js';
import { type PasskeyView, viewPasskey } from '../passkeys/passkey-rules.js';
import type { App } from '../runtime/app.js';
import { readUser } from './change-user.js';

/** Oldest first. @throws ApiError userIdNotUuid, userNotFound */
export async function readPasskeysOf(app: Pick<App, 'db'>, userPathId: string): Promise<PasskeyView[]> {
  const { id } = await readUser(app, userPathId);
  return (await listPasskeys(app.db, id)).map(viewPasskey);
}

/** @throws ApiError userIdNotUuid, userNotFound, passkeyNotFound */
export async function removePasskeyAsAdmin(
  app: App,
  requestId: string,
  admin: Administrator,
  userPathId: string,
  pathId: string,
): Promise<void> {
  const user = await readUser(app, userPathId);
  const id = readPasskeyId(pathId);
  const audit = [auditEntry(adminActor(admin), 'passkey_deleted', { passkey_id: id, user_id: user.id })];
  const notices = await prepareNotices(app, { requestId, isAdmin: true }, [
    { kind: 'passkey_removed_notification', to: recipientOf(user) },
  ]);
  await withLockedUser(app.db, user.id, async (statements) => {
    const isRemoved = await removePasskey(statements, user.id, id, storedAudit(app, audit));
    if (!isRemoved) throw apiError('passkeyNotFound');
    await insertMails(statements, user.id, notices);
  });
  logAudit(app, requestId, audit);
  if (notices.length > 0) app.mail.nudge();
}
