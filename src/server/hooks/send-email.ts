import type { Config } from '../config/settings.js';
import type { MailMessage } from '../mail/contract.js';
import type { SendEmail } from './contract.js';
import { deliverBy } from './delivery.js';
import type { HookCaller } from './hook-caller.js';

/** The hook send_email, in place of a mail server. */
export function openSendEmail(caller: HookCaller, config: Pick<Config, 'apiExternalUrl'>): SendEmail {
  return {
    deliver(messages, user, id) {
      const [{ newEmail, ip = null, notice }] = messages;
      const shown = newEmail === null ? user : { ...user, new_email: newEmail };
      return deliverBy(
        caller,
        { user: shown, email_data: emailDataOf(messages, config) },
        ip ?? notice?.ip ?? null,
        id,
      );
    },
  };
}

/** @param messages one, or both sides of an email change: that to the new address first */
function emailDataOf(
  [first, other]: readonly [MailMessage, MailMessage?],
  { apiExternalUrl }: Pick<Config, 'apiExternalUrl'>,
): Record<string, string> {
  const { notice } = first;
  return {
    // Names are crossed for both sides, as in supabase/auth: token and token_hash_new are for the current address.
    token: (other ?? first).code,
    token_hash: first.linkToken ?? '',
    redirect_to: first.redirectTo,
    email_action_type: first.linkType ?? first.kind,
    site_url: apiExternalUrl,
    token_new: other === undefined ? '' : first.code,
    token_hash_new: other?.linkToken ?? '',
    old_email: notice?.oldEmail ?? '',
    old_phone: notice?.oldPhone ?? '',
    provider: notice?.provider ?? '',
    factor_type: notice?.factorType ?? '',
    // A notice may go to an address that is no longer the user's.
    ...(notice !== undefined && { recipient: first.to }),
  };
}
