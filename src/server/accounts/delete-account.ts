/** The end of an account: by its user, and what that shares with an administrator's deletion. */
import { deleteUser } from '../../db/admin-users.js';
import { insertMails } from '../../db/outbox.js';
import type { MailInput } from '../../db/outgoing.js';
import type { Statements } from '../../db/types.js';
import { apiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import { endOwnerships, type SoleOwned } from '../organizations/end-memberships.js';
import type { App, Client } from '../runtime/app.js';
import { newestProofSeconds, type UserCaller } from '../sessions/caller.js';
import { changeAccess } from './access-change.js';
import { type Actor, type AuditEntry, auditEntry, logAudit, storedAudit } from './audit.js';

/** A session that somebody left open deletes nothing. */
const MAX_PROOF_AGE_SECONDS = 600;

interface Deletion {
  readonly actor: Actor;
  /** Traits of the audit entry. */
  readonly traits: Readonly<Record<string, unknown>>;
  readonly notices: readonly MailInput[];
  /** What becomes of organizations that have no other owner. */
  readonly organizations: SoleOwned;
}

/**
 * Call it with the account locked.
 * @returns audit entries to log once the transaction is committed; undefined when there was nothing to delete
 * @throws ApiError lastOwner
 */
export async function deleteLocked(
  app: Pick<App, 'config' | 'clientAddress'>,
  statements: Statements,
  userId: string,
  kind: 'hard' | 'soft',
  { actor, traits, notices, organizations }: Deletion,
): Promise<readonly AuditEntry[] | undefined> {
  const ended = await endOwnerships(app, statements, actor, userId, organizations);
  const audit = [auditEntry(actor, 'user_deleted', traits)];
  const isGone = await deleteUser(statements, userId, kind, storedAudit(app, audit));
  if (!isGone) return undefined;
  // Of no account: with it they would be deleted, too.
  await insertMails(statements, null, notices);
  return [...ended, ...audit];
}

/**
 * A user deletes the own account, with everything that belongs to it (docs/decisions.md, Deletion by users).
 * @throws ApiError accountDeletionOff, signInTooOld, lastOwner, aalForAccess, stepUpRequired, sessionNotFound
 */
export async function deleteOwnAccount(app: App, client: Client, caller: UserCaller): Promise<void> {
  if (!app.config.pagesAccountDeletionEnabled) throw apiError('accountDeletionOff');
  const { user } = caller;
  const provenAt = newestProofSeconds(caller) ?? 0;
  if (Date.now() / 1000 - provenAt > MAX_PROOF_AGE_SECONDS) throw apiError('signInTooOld');
  const traits = { user_id: user.id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
  const notices = await prepareNotices(app, client, [{ kind: 'account_deleted_notification', to: recipientOf(user) }]);
  const audit = await changeAccess(app, caller, 'aalForAccess', (statements) =>
    deleteLocked(app, statements, user.id, 'hard', { actor: user, traits, notices, organizations: 'refuse' }),
  );
  if (audit === undefined) throw apiError('sessionNotFound');
  if (notices.length > 0) app.mail.nudge();
  logAudit(app, client.requestId, audit);
}
