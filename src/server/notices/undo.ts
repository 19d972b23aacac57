/** The link in a notice of a new address, which takes the old one back (docs/notices.md). */
import { endFlows, lockUserByContact, withLockedUser } from '../../db/account-locks.js';
import { readProofState, releaseAddress } from '../../db/first-proof.js';
import { type FoundUndo, findUndo, undoEmail } from '../../db/notices.js';
import { insertMails } from '../../db/outbox.js';
import type { Statements } from '../../db/types.js';
import { auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { assertSignsInHere } from '../accounts/company-domains.js';
import { catchTakenAddress } from '../accounts/free-addresses.js';
import { generateLinkToken, hashLink } from '../codes/one-time.js';
import { apiError } from '../errors.js';
import { linkTypeOf } from '../message-kinds.js';
import type { App, Client } from '../runtime/app.js';
import { signInWithClaims } from '../sessions/decided-claims.js';
import { issueTokens, type TokenResponse } from '../sessions/open.js';
import { endTrust } from '../sessions/trusted-device.js';
import { newEmail } from './changes.js';
import { isMailed, prepareNotices } from './notice.js';

const KIND = 'email_changed_notification';

/** `type` of the link. */
export const UNDO_TYPE = linkTypeOf(KIND)!;

/** @returns the token of a link and its hash; null while the notice or its link is off */
export async function mintUndo(
  app: Pick<App, 'config' | 'crypto'>,
): Promise<{ readonly linkToken: string; readonly linkHash: string } | null> {
  if (!isMailed(app, KIND) || app.config.mailerNotificationsUndoExpSeconds === 0) return null;
  const linkToken = generateLinkToken(false);
  return { linkToken, linkHash: await hashLink(app, linkToken) };
}

/**
 * Takes the old address back and signs in. The password is gone, so the application has to ask for a new one, as after a
 * recovery. The replaced address gets a notice without a link.
 * @throws ApiError linkInvalid, userBanned, ssoRequired, emailExists: another account has proven the address since
 */
export async function undoEmailChange(app: App, client: Client, linkToken: string): Promise<TokenResponse> {
  const link = { linkHash: await hashLink(app, linkToken), validSeconds: app.config.mailerNotificationsUndoExpSeconds };
  const found = await findUndo(app.db, link.linkHash, link.validSeconds);
  if (found === undefined) throw apiError('linkInvalid');
  if (found.is_banned) throw apiError('userBanned');
  await assertSignsInHere(app, found.email);
  const { user_id: userId, email, current_email: replaced } = found;
  const audit = [auditEntry({ id: userId, email, phone: found.phone }, 'user_modified', { email_change_undone: true })];
  const to = {
    email: found.is_current_confirmed ? replaced : null,
    phone: found.is_phone_confirmed ? found.phone : null,
    data: found.user_metadata,
  };
  const isReplaced = replaced !== null && replaced !== email;
  const notices = await prepareNotices(app, client, [isReplaced && newEmail(to, replaced, email)]);
  const opened = await catchTakenAddress('phoneExists', () =>
    signInWithClaims(
      app,
      client,
      (db) =>
        withLockedUser(db, userId, async (statements) => {
          await freeAddress(statements, found);
          await endFlows(statements, userId);
          await endTrust(app, statements, userId);
          const row = await undoEmail(statements, userId, link, client, storedAudit(app, audit));
          if (row === undefined) throw apiError('linkInvalid');
          await insertMails(statements, userId, notices);
          return row;
        }),
      true,
    ),
  );
  if (opened === undefined) throw apiError('linkInvalid');
  logAudit(app, client.requestId, audit);
  if (notices.length > 0) app.mail.nudge();
  return issueTokens(app, opened);
}

/**
 * The link proves the address, so an account that holds it without a proof loses it, unless an operator gave it that
 * address.
 * @throws ApiError emailExists
 */
async function freeAddress(statements: Statements, { email, user_id: userId }: FoundUndo): Promise<void> {
  const holder = await lockUserByContact(statements, 'email', email);
  if (holder === undefined || holder === userId) return;
  const state = await readProofState(statements, holder, 'email');
  if (!state?.is_unproven || state.is_invited || state.is_operators_address) throw apiError('emailExists');
  await releaseAddress(statements, holder, 'email', email, null);
}
