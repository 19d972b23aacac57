import type { Config } from '../config/settings.js';
import { buildConfirmationUrl } from '../mail/confirmation-url.js';
import type { InvitingOrganization, MailMessage } from '../mail/contract.js';
import type { SendEmail } from './contract.js';
import { deliverBy } from './delivery.js';
import type { HookCaller } from './hook-caller.js';

type Settings = Pick<Config, 'apiExternalUrl' | 'mails' | 'pagesEnabled'>;

/** The hook send_email, in place of a mail server. */
export function openSendEmail(caller: HookCaller, config: Settings): SendEmail {
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
function emailDataOf([first, other]: readonly [MailMessage, MailMessage?], config: Settings): Record<string, string> {
  const { notice, organization } = first;
  const common = {
    redirect_to: first.redirectTo,
    site_url: config.apiExternalUrl,
    old_email: notice?.oldEmail ?? '',
    old_phone: notice?.oldPhone ?? '',
    provider: notice?.provider ?? '',
    factor_type: notice?.factorType ?? '',
  };
  if (notice !== undefined) return { ...common, ...noticeDataOf(first, config) };
  return {
    ...common,
    email_action_type: first.linkType ?? first.kind,
    // Names are crossed for both sides, as in supabase/auth: token and token_hash_new are for the current address.
    token: (other ?? first).code,
    token_hash: first.linkToken ?? '',
    token_new: other === undefined ? '' : first.code,
    token_hash_new: other?.linkToken ?? '',
    ...(organization !== undefined && invitationDataOf(organization)),
  };
}

/** The names are as users chose them: the hook escapes them. */
const invitationDataOf = ({ id, name, inviter, roles }: InvitingOrganization) => ({
  organization_id: id,
  organization: name,
  inviter,
  roles: roles.join(', '),
});

/** A notice confirms nothing: its type is its kind, as in supabase/auth, and a link that undoes the change has members of its own. */
function noticeDataOf(message: MailMessage, config: Settings): Record<string, string> {
  const { kind, to, linkToken } = message;
  const undoUrl = buildConfirmationUrl(config, message);
  return {
    ...{ email_action_type: kind, token: '', token_hash: '', token_new: '', token_hash_new: '' },
    // The address may no longer be the user's.
    recipient: to,
    ...(undoUrl !== null && linkToken !== null && { undo_token_hash: linkToken, undo_url: undoUrl }),
  };
}
