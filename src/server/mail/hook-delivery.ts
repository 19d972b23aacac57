/** Delivers mails through the hook send_email. */
import { findUserById } from '../../db/admin-users.js';
import type { Database } from '../../db/types.js';
import type { UserRow } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import type { SendEmail } from '../hooks/contract.js';
import type { Mailer, MailMessage } from './contract.js';
import { MailError } from './mail-error.js';

export interface MailHook {
  readonly sendEmail: SendEmail;
  /** AUTH_HOOK_SEND_EMAIL_BACKGROUND */
  readonly isBackground: boolean;
  /** AUTH_HOOK_SEND_EMAIL_FAIL_OPEN */
  readonly failOpen: boolean;
  readonly viewUser: (row: Readonly<UserRow>) => Record<string, unknown>;
}

/** @returns null with the hook off */
export function mailHookOf(
  config: Pick<Config, 'hooks' | 'hookSendEmailBackground'>,
  sendEmail: SendEmail | null,
  viewUser: MailHook['viewUser'],
): MailHook | null {
  if (sendEmail === null) return null;
  const failOpen = config.hooks.send_email.failOpen === true;
  return { sendEmail, isBackground: config.hookSendEmailBackground, failOpen, viewUser };
}

/** One row for the hook, which gets both sides of an email change in one call. */
export function mergeSides(messages: readonly MailMessage[]): readonly MailMessage[] {
  const [first, other] = messages;
  return first !== undefined && other !== undefined ? [{ ...first, other }] : messages;
}

/**
 * Calls the hook for a mail of the outbox. A sender that dies repeats the call with the same webhook-id.
 * @throws MailError
 */
export async function deliverFromOutbox(
  { sendEmail, viewUser }: MailHook,
  db: Database,
  { id, userId, message }: { readonly id: string; readonly userId: string | null; readonly message: MailMessage },
): Promise<void> {
  const row = userId === null ? undefined : await findUserById(db, userId);
  const user = row === undefined ? { email: message.email, user_metadata: message.data } : viewUser(row);
  const delivery = await sendEmail.deliver(
    message.other === undefined ? [message] : [message, message.other],
    user,
    id,
  );
  if (!delivery.isDone) throw new MailError(delivery.reason, { stage: 'connect', isFinal: delivery.isRefused });
}

/** @returns what sends mails during the request; undefined with the hook off or in the background */
export function senderOfRequests(hook: MailHook | null): Mailer['sendNow'] {
  if (hook === null || hook.isBackground) return undefined;
  return async (messages, user) => {
    const [first, other] = messages;
    if (first === undefined) return true;
    const delivery = await hook.sendEmail.deliver(other === undefined ? [first] : [first, other], user);
    if (delivery.isDone) return true;
    if (hook.failOpen && !delivery.isRefused) return false;
    throw delivery.error;
  };
}
