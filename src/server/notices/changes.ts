/** Which notices a change calls for. */
import type { FoundToken } from '../../db/one-time-tokens.js';
import type { UserRow } from '../../db/user-rows.js';
import type { App } from '../runtime/app.js';
import { type Change, type Recipient, recipientOf } from './notice.js';

/** Of a new phone number; the first one is a new way to sign in. */
export const newPhone = (to: Recipient, oldPhone: string | null, phone: string): Change =>
  oldPhone
    ? { kind: 'phone_changed_notification', to, facts: { phone, oldPhone } }
    : { kind: 'identity_linked_notification', to, facts: { provider: 'phone' } };

/** Of a new address, for the old one. @param linkToken of the link that takes it back */
export const newEmail = (to: Recipient, oldEmail: string, email: string, linkToken: string | null = null): Change => ({
  kind: 'email_changed_notification',
  to,
  newEmail: email,
  linkToken,
  facts: { oldEmail },
});

/** Of the first proof of an address, which has removed earlier ways into the account. @param to the proven address */
export const firstProof = (to: Recipient): Change => ({ kind: 'first_proof_notification', to });

/** Of a code or link that is redeemed. @param type of the request @param undoToken of the link that undoes it */
export function redeemedChanges(token: FoundToken, type: string, undoToken: string | null): readonly Change[] {
  if (token.user_id === null) return [];
  const to = {
    email: token.is_email_confirmed ? token.email : null,
    phone: token.is_phone_confirmed ? token.phone : null,
    data: token.user_metadata ?? {},
  };
  if (token.kind.startsWith('email_change') && token.email && token.new_email) {
    return [newEmail(to, token.email, token.new_email, undoToken)];
  }
  if (token.kind === 'phone_change' && token.new_phone) return [newPhone(to, token.phone, token.new_phone)];
  return token.kind === 'recovery' && type === 'recovery' ? [{ kind: 'recovery_used_notification', to }] : [];
}

/** Of an administrator's changes. */
export function adminChanges(
  { config }: Pick<App, 'config'>,
  user: Readonly<UserRow>,
  isPasswordNew: boolean,
  email: string | null,
  phone: string | null,
): readonly (Change | false)[] {
  if (!config.mailerNotificationsAdminChanges) return [];
  const to = recipientOf(user);
  return [
    isPasswordNew && { kind: 'password_changed_notification', to },
    email !== null && user.email !== null && email !== user.email && newEmail(to, user.email, email),
    phone !== null && phone !== user.phone && newPhone(to, user.phone, phone),
  ];
}
