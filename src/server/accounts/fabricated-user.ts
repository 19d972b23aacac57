import { randomUUID } from 'node:crypto';
import type { Channel, Metadata, UserRow } from '../../db/user-rows.js';
import { viewUser } from './user-view.js';

/**
 * Builds the answer to a sign-up with a confirmed address (docs/decisions.md, Duplicate sign-ups).
 * @param data metadata of the request, unchanged
 */
export function fabricateUser(
  channel: Channel,
  address: string,
  audience: string,
  data: Metadata,
): Record<string, unknown> {
  const now = new Date().toISOString();
  return viewUser({
    ...emptyUser,
    id: randomUUID(),
    aud: audience,
    email: channel === 'email' ? address : null,
    phone: channel === 'phone' ? address : null,
    confirmation_sent_at: now,
    app_metadata: { provider: channel, providers: [channel] },
    user_metadata: data,
    created_at: now,
    updated_at: now,
  });
}

/** Contains nothing of the existing account. */
export const emptyUser: UserRow = {
  id: '',
  aud: '',
  role: '',
  email: null,
  email_confirmed_at: null,
  proven_email: null,
  vouched_email: null,
  invited_at: null,
  phone: null,
  phone_confirmed_at: null,
  proven_phone: null,
  vouched_phone: null,
  confirmation_sent_at: null,
  confirmed_at: null,
  recovery_sent_at: null,
  new_email: null,
  email_change_sent_at: null,
  new_phone: null,
  phone_change_sent_at: null,
  reauthentication_sent_at: null,
  last_sign_in_at: null,
  app_metadata: {},
  user_metadata: {},
  created_at: '',
  updated_at: '',
  banned_until: null,
  deleted_at: null,
  is_anonymous: false,
  is_sso_user: false,
  identities: [],
};
