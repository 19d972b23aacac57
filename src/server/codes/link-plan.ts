/** Which link for which account, and what the audit log says of it: of links that are handed over, and of those that are mailed. */
import type { AddressHolder } from '../../db/users.js';
import { type Administrator, type AuditAction, type AuditEntry, adminActor, auditEntry } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { MailPlan } from './one-time.js';

export type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change_current' | 'email_change_new';

/** The mail per type of link, without its recipient. */
export const linkPlans: Readonly<Record<LinkType, Omit<MailPlan, 'to'>>> = {
  signup: { mail: 'confirmation' },
  invite: { mail: 'invite' },
  magiclink: { mail: 'magic_link' },
  recovery: { mail: 'recovery' },
  email_change_current: { mail: 'email_change', code: 'email_change_current' },
  email_change_new: { mail: 'email_change', code: 'email_change_new' },
};

/** @throws ApiError linkTypeInvalid */
export function readLinkType(type: string): LinkType {
  if (!Object.hasOwn(linkPlans, type)) throw apiError('linkTypeInvalid', { type: type.slice(0, 100) });
  return type as LinkType;
}

/**
 * @param holder the account that has the address
 * @throws ApiError linkUserNotFound; emailExists: there is nothing left to confirm
 */
export function assertLinkFits(type: LinkType, holder: Pick<AddressHolder, 'is_confirmed'> | undefined): void {
  const isFirstProof = type === 'signup' || type === 'invite';
  if (holder === undefined && !isFirstProof) throw apiError('linkUserNotFound');
  if (holder?.is_confirmed && isFirstProof) throw apiError('emailExists');
}

/** What an account asks for when it gets such a link. */
const actions: Readonly<Record<LinkType, AuditAction | null>> = {
  signup: 'user_confirmation_requested',
  invite: 'user_invited',
  magiclink: 'user_recovery_requested',
  recovery: 'user_recovery_requested',
  email_change_current: null,
  email_change_new: null,
};

/**
 * As supabase/auth has it, where the user seems to have asked for what signs in, and a sign-up link has no entry. An operator of the
 * console is named, with the type of the link and whether it was handed over.
 */
export function auditOfLink(
  { type, admin }: { readonly type: LinkType; readonly admin: Administrator },
  user: { readonly id: string; readonly email: string | null; readonly phone: string | null },
  delivery: 'copy' | 'send',
): AuditEntry[] {
  const action = actions[type];
  if (action === null) return [];
  const traits = { user_id: user.id, user_email: user.email };
  if (admin.deed !== undefined) return [auditEntry(adminActor(admin), action, { ...traits, link: type, delivery })];
  if (type === 'invite') return [auditEntry(adminActor(admin), action, traits)];
  return type === 'signup' ? [] : [auditEntry(user, action)];
}
