/** SQL that puts rows into the tables of supabase/auth. */

/** Rows to be written or ids to be deleted, in the order in which foreign keys permit it. */
export type PeerBatch =
  | { readonly into: PeerTable; readonly rows: readonly object[] }
  | { readonly deleteFrom: 'users' | 'sessions'; readonly ids: readonly string[] }
  /** Revokes all refresh tokens of these sessions. */
  | { readonly revoke: readonly string[] };

export type PeerTable = keyof typeof inserts;

/** Rows come as one JSON literal. A row that is there is replaced. Tables without sessions' counters take the others. */
const inserts = {
  users: `insert into @.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at,
  confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change,
  last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, phone_change,
  phone_change_token, email_change_token_current, email_change_confirm_status, banned_until, reauthentication_token,
  is_sso_user, is_anonymous)
select instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token,
  confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, last_sign_in_at,
  raw_app_meta_data, raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, phone_change,
  phone_change_token, email_change_token_current, email_change_confirm_status, banned_until, reauthentication_token,
  is_sso_user, is_anonymous
from jsonb_populate_recordset(null::@.users, ?)
on conflict (id) do update
set aud = excluded.aud, role = excluded.role, email = excluded.email, encrypted_password = excluded.encrypted_password,
  email_confirmed_at = excluded.email_confirmed_at, invited_at = excluded.invited_at,
  confirmation_token = excluded.confirmation_token, recovery_token = excluded.recovery_token,
  email_change_token_new = excluded.email_change_token_new, email_change = excluded.email_change,
  last_sign_in_at = excluded.last_sign_in_at, raw_app_meta_data = excluded.raw_app_meta_data,
  raw_user_meta_data = excluded.raw_user_meta_data, updated_at = excluded.updated_at, phone = excluded.phone,
  phone_confirmed_at = excluded.phone_confirmed_at, phone_change = excluded.phone_change,
  phone_change_token = excluded.phone_change_token, email_change_token_current = excluded.email_change_token_current,
  email_change_confirm_status = excluded.email_change_confirm_status, banned_until = excluded.banned_until,
  reauthentication_token = excluded.reauthentication_token, is_sso_user = excluded.is_sso_user,
  is_anonymous = excluded.is_anonymous;`,
  identities: `insert into @.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at,
  updated_at)
select id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
from jsonb_populate_recordset(null::@.identities, ?)
on conflict (provider_id, provider) do update
set user_id = excluded.user_id, identity_data = excluded.identity_data, last_sign_in_at = excluded.last_sign_in_at,
  updated_at = excluded.updated_at;`,
  sessions: `insert into @.sessions (id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag)
select id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag
from jsonb_populate_recordset(null::@.sessions, ?)
on conflict (id) do update
set updated_at = excluded.updated_at, aal = excluded.aal, not_after = excluded.not_after,
  refreshed_at = excluded.refreshed_at, user_agent = excluded.user_agent, ip = excluded.ip, tag = excluded.tag;`,
  counted_sessions: `update @.sessions s
set refresh_token_hmac_key = n.refresh_token_hmac_key, refresh_token_counter = n.refresh_token_counter
from jsonb_populate_recordset(null::@.sessions, ?) n
where s.id = n.id;`,
  mfa_amr_claims: `insert into @.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
select session_id, created_at, updated_at, authentication_method, id
from jsonb_populate_recordset(null::@.mfa_amr_claims, ?)
on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at;`,
  refresh_tokens: `insert into @.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
select instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id
from jsonb_populate_recordset(null::@.refresh_tokens, ?)
on conflict (token) do update set revoked = excluded.revoked, updated_at = excluded.updated_at;`,
};

const DELETE_USERS = 'delete from @.users where id in (select jsonb_array_elements_text(?)::uuid);';
const DELETE_SESSIONS = 'delete from @.sessions where id in (select jsonb_array_elements_text(?)::uuid);';
const REVOKE = `update @.refresh_tokens set revoked = true
where session_id in (select jsonb_array_elements_text(?)::uuid) and not revoked;`;

/** All or nothing. Backslashes must be plain in literals. */
export const SCRIPT_START = "begin;\nset local standard_conforming_strings = on;\nset local time zone 'UTC';\n";
export const SCRIPT_END = 'commit;\n';

/** @param schema a plain lower-case name */
export function renderBatch(batch: PeerBatch, schema: string): string {
  if ('into' in batch) return render(inserts[batch.into], batch.rows, schema);
  if ('revoke' in batch) return render(REVOKE, batch.revoke, schema);
  return render(batch.deleteFrom === 'users' ? DELETE_USERS : DELETE_SESSIONS, batch.ids, schema);
}

/** One JSON literal; only the quote has a meaning in it. */
const render = (statement: string, values: readonly unknown[], schema: string): string => {
  const literal = `'${JSON.stringify(values).replaceAll("'", "''")}'::jsonb`;
  return `${statement.replaceAll('@', schema).replace('?', () => literal)}\n`;
};
