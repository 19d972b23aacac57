import { memoize } from '../../caching/memoize.js';
import type { FactorSummary, IdentityRow, UserRow } from '../../db/user-rows.js';

/** Builds the user object of responses; nothing else does (docs/decisions.md, User object). */
export function viewUser(row: Readonly<UserRow>): Record<string, unknown> {
  const view: Record<string, unknown> = { id: row.id, aud: row.aud, role: row.role, email: row.email ?? '' };
  if (row.email_confirmed_at !== null) view['email_confirmed_at'] = row.email_confirmed_at;
  if (row.invited_at !== null) view['invited_at'] = row.invited_at;
  view['phone'] = row.phone ?? '';
  if (row.phone_confirmed_at !== null) view['phone_confirmed_at'] = row.phone_confirmed_at;
  if (row.confirmation_sent_at !== null) view['confirmation_sent_at'] = row.confirmation_sent_at;
  if (row.confirmed_at !== null) view['confirmed_at'] = row.confirmed_at;
  if (row.recovery_sent_at !== null) view['recovery_sent_at'] = row.recovery_sent_at;
  if (row.new_email) view['new_email'] = row.new_email;
  if (row.email_change_sent_at !== null) view['email_change_sent_at'] = row.email_change_sent_at;
  if (row.new_phone) view['new_phone'] = row.new_phone;
  if (row.phone_change_sent_at !== null) view['phone_change_sent_at'] = row.phone_change_sent_at;
  if (row.reauthentication_sent_at !== null) view['reauthentication_sent_at'] = row.reauthentication_sent_at;
  if (row.last_sign_in_at !== null) view['last_sign_in_at'] = row.last_sign_in_at;
  view['app_metadata'] = row.app_metadata;
  view['user_metadata'] = row.user_metadata;
  if (row.factors?.length) view['factors'] = row.factors.map(viewFactor);
  view['identities'] = row.identities.map(viewIdentity);
  view['created_at'] = row.created_at;
  view['updated_at'] = row.updated_at;
  if (row.banned_until !== null) view['banned_until'] = row.banned_until;
  if (row.deleted_at !== null) view['deleted_at'] = row.deleted_at;
  view['is_anonymous'] = row.is_anonymous;
  return view;
}

/** The user object in a list, which has no factors. */
export const viewListedUser = (row: Readonly<UserRow>): Record<string, unknown> => viewUser({ ...row, factors: null });

/** Renders the user object in UTF-8, memoized per row; for rows that are never mutated (db/account-cache.ts). */
export const renderUser: (row: Readonly<UserRow>) => Uint8Array = memoize((row) =>
  Buffer.from(JSON.stringify(viewUser(row))),
);

/** A factor in responses: of the user, and of an administrator's list. */
export function viewFactor(row: FactorSummary): Record<string, unknown> {
  const view: Record<string, unknown> = {
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
  };
  if (row.friendly_name !== '') view['friendly_name'] = row.friendly_name;
  view['factor_type'] = row.kind;
  view['phone'] = row.phone ?? '';
  view['last_challenged_at'] = row.last_challenged_at;
  if (row.aaguid !== null) view['web_authn_aaguid'] = row.aaguid;
  return view;
}

function viewIdentity(row: IdentityRow): Record<string, unknown> {
  const view: Record<string, unknown> = { identity_id: row.id, id: row.provider_id, user_id: row.user_id };
  if (row.identity_data !== null) view['identity_data'] = row.identity_data;
  view['provider'] = row.provider;
  if (row.last_sign_in_at !== null) view['last_sign_in_at'] = row.last_sign_in_at;
  view['created_at'] = row.created_at;
  view['updated_at'] = row.updated_at;
  if (row.email) view['email'] = row.email;
  return view;
}
