/** A link that an operator has mailed to a user: the usual mail, by the rule of links that are handed over. */
import { storeTokens } from '../../db/one-time-tokens.js';
import type { UserRow } from '../../db/user-rows.js';
import { findAddressHolder } from '../../db/users.js';
import { normaliseEmail } from '../accounts/addresses.js';
import { type Administrator, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { stampsOf } from '../message-kinds.js';
import type { App } from '../runtime/app.js';
import { assertLinkFits, auditOfLink, type LinkType, linkPlans } from './link-plan.js';
import { prepareMails } from './one-time.js';
import { assertMailable, assertMayMail } from './send-rules.js';

/** A change of address is mailed to whoever asks for it. */
export const mailedLinks = ['recovery', 'magiclink', 'invite', 'signup'] as const satisfies readonly LinkType[];
export type MailedLink = (typeof mailedLinks)[number];

export interface SentLink {
  readonly sent_to: string;
  /** Of the row in the outbox; null: the hook send_email has sent it. */
  readonly message_id: string | null;
}

/**
 * Mails a link to the address of an account. The send interval of its kind and the quota of mails count, as they do for the user: an
 * operator must not fill a mailbox either.
 * @param user an account that is not deleted
 * @param redirectTo an allowed target
 * @throws ApiError mailOff, emailInvalid, linkUserNotFound, emailExists, emailNotAuthorized, emailAddressInvalid, tooSoonForEmail,
 *   overEmailQuota; those of the hook
 */
export async function sendLink(
  app: App,
  requestId: string,
  admin: Administrator,
  user: Pick<UserRow, 'id' | 'aud' | 'email'>,
  { type, redirectTo }: { readonly type: MailedLink; readonly redirectTo: string },
): Promise<SentLink> {
  if (!app.mail.isOn) throw apiError('mailOff');
  const email = normaliseEmail(user.email ?? '');
  const holder = await findAddressHolder(app.db, 'email', email, user.aud);
  // An account of single sign-on may have an address that an account of this server has, too.
  if (holder === undefined || holder.id !== user.id) throw apiError('linkUserNotFound');
  assertLinkFits(type, holder);
  const { mail } = linkPlans[type];
  await assertMailable(app, email);
  await assertMayMail(app, mail, email);
  const prepared = await prepareMails(
    app,
    { email, data: holder.user_metadata, account: holder.id, ip: null },
    [{ mail, to: email }],
    null,
    redirectTo,
  );
  const audit = auditOfLink({ type, admin }, holder, 'send');
  const issue = { userId: holder.id, ...prepared, stamps: stampsOf(mail), audit: storedAudit(app, audit) };
  if ((await storeTokens(app.db, issue)) === undefined) throw apiError('linkUserNotFound');
  logAudit(app, requestId, audit);
  app.mail.nudge();
  return { sent_to: email, message_id: prepared.mails[0]?.id ?? null };
}
