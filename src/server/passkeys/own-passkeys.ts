/** What users do with the passkeys they have. */
import { insertMails } from '../../db/outbox.js';
import { listPasskeys, removePasskey, renamePasskey } from '../../db/passkeys.js';
import { readUuid } from '../../db/uuid.js';
import { changeAccess, requireSession } from '../accounts/access-change.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { assertAssurance } from '../sessions/assurance.js';
import type { UserCaller } from '../sessions/caller.js';
import { userHandleOf } from '../webauthn/ceremony-options.js';
import { relyingPartyOf } from '../webauthn/relying-party.js';
import { type PasskeyView, viewPasskey } from './passkey-rules.js';

const MAX_NAME_BYTES = 120;

/** Oldest first. @throws ApiError sessionNotFound */
export async function readOwnPasskeys(app: Pick<App, 'db'>, caller: UserCaller): Promise<PasskeyView[]> {
  requireSession(caller);
  return (await listPasskeys(app.db, caller.user.id)).map(viewPasskey);
}

/**
 * The parameters of PublicKeyCredential.signalAllAcceptedCredentials() (WebAuthn Level 3, 5.1.10), so that a deleted
 * passkey disappears from the picker.
 * @throws ApiError sessionNotFound
 */
export async function readSignal({ config, db }: Pick<App, 'config' | 'db'>, caller: UserCaller) {
  requireSession(caller);
  const held = await listPasskeys(db, caller.user.id);
  return {
    rpId: relyingPartyOf(config).id,
    userId: userHandleOf(caller.user.id),
    allAcceptedCredentialIds: held.map(({ credential_id }) => credential_id.toString('base64url')),
  };
}

/**
 * @param name at most 120 bytes
 * @throws ApiError sessionNotFound, passkeyNotFound, passkeyNameRequired, passkeyNameTooLong
 */
export async function renameOwnPasskey(
  app: App,
  client: Client,
  caller: UserCaller,
  pathId: string,
  name: string,
): Promise<PasskeyView> {
  requireSession(caller);
  const id = readPasskeyId(pathId);
  if (name === '') throw apiError('passkeyNameRequired');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw apiError('passkeyNameTooLong');
  const audit = [auditEntry(caller.user, 'passkey_updated', { passkey_id: id })];
  const renamed = await renamePasskey(app.db, caller.user.id, id, name, storedAudit(app, audit));
  if (renamed === undefined) throw apiError('passkeyNotFound');
  logAudit(app, client.requestId, audit);
  return viewPasskey(renamed);
}

/** @throws ApiError sessionNotFound, passkeyNotFound, aalForPasskeys */
export async function removeOwnPasskey(app: App, client: Client, caller: UserCaller, pathId: string): Promise<void> {
  requireSession(caller);
  await assertAssurance(app, caller, 'aalForPasskeys');
  const id = readPasskeyId(pathId);
  const { user } = caller;
  const audit = [auditEntry(user, 'passkey_deleted', { passkey_id: id })];
  const notices = await prepareNotices(app, client, [{ kind: 'passkey_removed_notification', to: recipientOf(user) }]);
  await changeAccess(app, caller, 'aalForPasskeys', async (statements) => {
    const isRemoved = await removePasskey(statements, user.id, id, storedAudit(app, audit));
    if (!isRemoved) throw apiError('passkeyNotFound');
    await insertMails(statements, user.id, notices);
  });
  logAudit(app, client.requestId, audit);
  if (notices.length > 0) app.mail.nudge();
}

/** @throws ApiError passkeyNotFound */
export function readPasskeyId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw apiError('passkeyNotFound');
  return id;
}
