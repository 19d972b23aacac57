/** SQL that puts rows into the tables of supabase/auth. */

/** Rows to be written or ids to be deleted, in the order in which foreign keys permit it. */
export type PeerBatch =
  | { readonly into: PeerTable; readonly rows: readonly object[] }
  | { readonly deleteFrom: DeletedTable; readonly ids: readonly string[] }
  /** Revokes all refresh tokens of these sessions. */
  | { readonly revoke: readonly string[] };

export type PeerTable = keyof typeof inserts;
export type DeletedTable = keyof typeof deletes;

/** Whether it changes nothing. */
export const isEmptyBatch = (batch: PeerBatch): boolean =>
  ('into' in batch ? batch.rows : 'revoke' in batch ? batch.revoke : batch.ids).length === 0;

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
  sessions: `insert into @.sessions (id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag,
  factor_id)
select id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag, factor_id
from jsonb_populate_recordset(null::@.sessions, ?)
on conflict (id) do update
set updated_at = excluded.updated_at, aal = excluded.aal, not_after = excluded.not_after,
  refreshed_at = excluded.refreshed_at, user_agent = excluded.user_agent, ip = excluded.ip, tag = excluded.tag,
  factor_id = excluded.factor_id;`,
  // With the column of its client, or not at all: without it the session would be one of the user.
  client_sessions: `insert into @.sessions (id, user_id, created_at, updated_at, aal, not_after, refreshed_at, user_agent, ip, tag,
  factor_id, oauth_client_id, scopes)
select n.id, n.user_id, n.created_at, n.updated_at, n.aal, n.not_after, n.refreshed_at, n.user_agent, n.ip, n.tag,
  n.factor_id, n.oauth_client_id, n.scopes
from jsonb_populate_recordset(null::@.sessions, ?) n
join @.oauth_clients c on c.id = n.oauth_client_id
on conflict (id) do update
set updated_at = excluded.updated_at, aal = excluded.aal, not_after = excluded.not_after,
  refreshed_at = excluded.refreshed_at, user_agent = excluded.user_agent, ip = excluded.ip, tag = excluded.tag,
  factor_id = excluded.factor_id, scopes = excluded.scopes;`,
  oauth_clients: `insert into @.oauth_clients (id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name,
  client_uri, logo_uri, created_at, updated_at, client_type, token_endpoint_auth_method)
select id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri, logo_uri,
  created_at, updated_at, client_type, token_endpoint_auth_method
from jsonb_populate_recordset(null::@.oauth_clients, ?)
on conflict (id) do update
set client_secret_hash = excluded.client_secret_hash, redirect_uris = excluded.redirect_uris,
  grant_types = excluded.grant_types, client_name = excluded.client_name, client_uri = excluded.client_uri,
  logo_uri = excluded.logo_uri, updated_at = excluded.updated_at, client_type = excluded.client_type,
  token_endpoint_auth_method = excluded.token_endpoint_auth_method;`,
  oauth_consents: `insert into @.oauth_consents (id, user_id, client_id, scopes, granted_at, revoked_at)
select n.id, n.user_id, n.client_id, n.scopes, n.granted_at, n.revoked_at
from jsonb_populate_recordset(null::@.oauth_consents, ?) n
join @.oauth_clients c on c.id = n.client_id
on conflict (user_id, client_id) do update
set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = excluded.revoked_at;`,
  // The id counts for the secret, which is encrypted under it.
  custom_oauth_providers: `insert into @.custom_oauth_providers (id, provider_type, identifier, name, client_id, client_secret,
  acceptable_client_ids, scopes, pkce_enabled, attribute_mapping, authorization_params, enabled, email_optional, issuer,
  discovery_url, skip_nonce_check, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at)
select id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled,
  attribute_mapping, authorization_params, enabled, email_optional, issuer, discovery_url, skip_nonce_check,
  authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at
from jsonb_populate_recordset(null::@.custom_oauth_providers, ?)
on conflict (identifier) do update
set id = excluded.id, provider_type = excluded.provider_type, name = excluded.name, client_id = excluded.client_id,
  client_secret = excluded.client_secret, acceptable_client_ids = excluded.acceptable_client_ids,
  scopes = excluded.scopes, pkce_enabled = excluded.pkce_enabled, attribute_mapping = excluded.attribute_mapping,
  authorization_params = excluded.authorization_params, enabled = excluded.enabled,
  email_optional = excluded.email_optional, issuer = excluded.issuer, discovery_url = excluded.discovery_url,
  skip_nonce_check = excluded.skip_nonce_check, authorization_url = excluded.authorization_url,
  token_url = excluded.token_url, userinfo_url = excluded.userinfo_url, jwks_uri = excluded.jwks_uri,
  updated_at = excluded.updated_at, cached_discovery = null, discovery_cached_at = null;`,
  provider_claims: `update @.custom_oauth_providers p
set custom_claims_allowlist = n.custom_claims_allowlist
from jsonb_populate_recordset(null::@.custom_oauth_providers, ?) n
where p.id = n.id;`,
  sso_providers: `insert into @.sso_providers (id, resource_id, disabled, created_at, updated_at)
select id, resource_id, disabled, created_at, updated_at
from jsonb_populate_recordset(null::@.sso_providers, ?)
on conflict (id) do update
set resource_id = excluded.resource_id, disabled = excluded.disabled, updated_at = excluded.updated_at;`,
  saml_providers: `insert into @.saml_providers (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
  name_id_format, created_at, updated_at)
select id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format, created_at, updated_at
from jsonb_populate_recordset(null::@.saml_providers, ?)
on conflict (entity_id) do update
set sso_provider_id = excluded.sso_provider_id, metadata_xml = excluded.metadata_xml,
  metadata_url = excluded.metadata_url, attribute_mapping = excluded.attribute_mapping,
  name_id_format = excluded.name_id_format, updated_at = excluded.updated_at;`,
  sso_domains: `insert into @.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
select id, sso_provider_id, domain, created_at, updated_at
from jsonb_populate_recordset(null::@.sso_domains, ?)
on conflict (lower(domain)) do update set sso_provider_id = excluded.sso_provider_id, updated_at = excluded.updated_at;`,
  counted_sessions: `update @.sessions s
set refresh_token_hmac_key = n.refresh_token_hmac_key, refresh_token_counter = n.refresh_token_counter
from jsonb_populate_recordset(null::@.sessions, ?) n
where s.id = n.id;`,
  mfa_amr_claims: `insert into @.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
select n.session_id, n.created_at, n.updated_at, n.authentication_method, n.id
from jsonb_populate_recordset(null::@.mfa_amr_claims, ?) n
join @.sessions s on s.id = n.session_id
on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at;`,
  refresh_tokens: `insert into @.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
select n.instance_id, n.token, n.user_id, n.revoked, n.created_at, n.updated_at, n.parent, n.session_id
from jsonb_populate_recordset(null::@.refresh_tokens, ?) n
join @.sessions s on s.id = n.session_id
on conflict (token) do update set revoked = excluded.revoked, updated_at = excluded.updated_at;`,
  // Without last_challenged_at, which is unique over the whole table there.
  mfa_factors: `insert into @.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone,
  web_authn_credential, web_authn_aaguid)
select id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone, web_authn_credential,
  web_authn_aaguid
from jsonb_populate_recordset(null::@.mfa_factors, ?)
on conflict (id) do update
set friendly_name = excluded.friendly_name, status = excluded.status, updated_at = excluded.updated_at,
  secret = excluded.secret, phone = excluded.phone, web_authn_credential = excluded.web_authn_credential,
  web_authn_aaguid = excluded.web_authn_aaguid;`,
  recovery_factors: `insert into @.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
select id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret
from jsonb_populate_recordset(null::@.mfa_factors, ?)
on conflict (id) do update set friendly_name = excluded.friendly_name, updated_at = excluded.updated_at;`,
  mfa_recovery_code_sets: `insert into @.mfa_recovery_code_sets (id, user_id, mfa_factor_id, failed_verification_count,
  verification_locked_until, created_at, updated_at)
select id, user_id, mfa_factor_id, failed_verification_count, verification_locked_until, created_at, updated_at
from jsonb_populate_recordset(null::@.mfa_recovery_code_sets, ?)
on conflict (user_id) do update
set mfa_factor_id = excluded.mfa_factor_id, failed_verification_count = excluded.failed_verification_count,
  verification_locked_until = excluded.verification_locked_until, updated_at = excluded.updated_at;`,
  // Rows name the factor instead of the set, whose id is known only there.
  mfa_recovery_codes: `insert into @.mfa_recovery_codes (id, mfa_recovery_code_set_id, code_hash, consumed_at, created_at)
select n.id, s.id, n.code_hash, n.consumed_at, n.created_at
from jsonb_populate_recordset(null::@.mfa_recovery_codes, ?) n
join @.mfa_recovery_code_sets s on s.mfa_factor_id = n.mfa_recovery_code_set_id
on conflict (id) do update set consumed_at = excluded.consumed_at;`,
  webauthn_credentials: `insert into @.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid,
  sign_count, transports, backup_eligible, backed_up, friendly_name, created_at, updated_at, last_used_at)
select id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
  backed_up, friendly_name, created_at, updated_at, last_used_at
from jsonb_populate_recordset(null::@.webauthn_credentials, ?)
on conflict (id) do update
set sign_count = excluded.sign_count, transports = excluded.transports, backed_up = excluded.backed_up,
  friendly_name = excluded.friendly_name, updated_at = excluded.updated_at, last_used_at = excluded.last_used_at;`,
};

/** By id. */
const deletes = {
  users: 'delete from @.users where id in (select jsonb_array_elements_text(?)::uuid);',
  sessions: 'delete from @.sessions where id in (select jsonb_array_elements_text(?)::uuid);',
  mfa_factors: 'delete from @.mfa_factors where id in (select jsonb_array_elements_text(?)::uuid);',
  oauth_clients: 'delete from @.oauth_clients where id in (select jsonb_array_elements_text(?)::uuid);',
  custom_oauth_providers:
    'delete from @.custom_oauth_providers where id in (select jsonb_array_elements_text(?)::uuid);',
  sso_providers: 'delete from @.sso_providers where id in (select jsonb_array_elements_text(?)::uuid);',
  /** By provider: all of them, since they have no ids here. */
  sso_domains: 'delete from @.sso_domains where sso_provider_id in (select jsonb_array_elements_text(?)::uuid);',
  webauthn_credentials: 'delete from @.webauthn_credentials where id in (select jsonb_array_elements_text(?)::uuid);',
  /** Begun there and never finished, by user: they may have the name of one of ours. */
  unverified_factors: `delete from @.mfa_factors
where user_id in (select jsonb_array_elements_text(?)::uuid) and status = 'unverified';`,
};

/** Tables and columns that an older release does not have, and the rows that depend on them. */
const optionalPlaces: Partial<Record<PeerTable | DeletedTable, string>> = {
  recovery_factors: 'mfa_recovery_code_sets',
  mfa_recovery_code_sets: 'mfa_recovery_code_sets',
  mfa_recovery_codes: 'mfa_recovery_code_sets',
  webauthn_credentials: 'webauthn_credentials',
  client_sessions: 'sessions.scopes',
  oauth_clients: 'oauth_clients.token_endpoint_auth_method',
  oauth_consents: 'oauth_consents',
  custom_oauth_providers: 'custom_oauth_providers',
  sso_providers: 'sso_providers.disabled',
  saml_providers: 'saml_providers.name_id_format',
  sso_domains: 'sso_domains',
  provider_claims: 'custom_oauth_providers.custom_claims_allowlist',
};

const REVOKE = `update @.refresh_tokens set revoked = true
where session_id in (select jsonb_array_elements_text(?)::uuid) and not revoked;`;

/** All or nothing. Backslashes must be plain in literals. */
export const SCRIPT_START = "begin;\nset local standard_conforming_strings = on;\nset local time zone 'UTC';\n";
export const SCRIPT_END = 'commit;\n';

/** @param schema a plain lower-case name */
export function renderBatch(batch: PeerBatch, schema: string): string {
  if ('revoke' in batch) return render(REVOKE, batch.revoke, schema);
  const [what, statement, values] =
    'into' in batch
      ? ([batch.into, inserts[batch.into], batch.rows] as const)
      : ([batch.deleteFrom, deletes[batch.deleteFrom], batch.ids] as const);
  const place = optionalPlaces[what];
  return place === undefined ? render(statement, values, schema) : renderIfThere(place, statement, values, schema);
}

const NO_TABLE = "to_regclass('@table') is null";
const NO_COLUMN = `not exists (
  select from pg_attribute where attrelid = to_regclass('@table') and attname = '@column' and not attisdropped)`;

/**
 * PL/pgSQL looks at a statement when it comes to it, so that it may name a table or column that is not there.
 * @param place table, or table.column
 */
function renderIfThere(place: string, statement: string, values: readonly unknown[], schema: string): string {
  const [table, column] = place.split('.');
  const isAbsent = (column === undefined ? NO_TABLE : NO_COLUMN)
    .replaceAll('@table', `${schema}.${table}`)
    .replaceAll('@column', column ?? '');
  return `do $latchkey$ begin
if ${isAbsent} then
  raise notice 'There is no ${column === undefined ? 'table' : 'column'} ${schema}.${place}: some rows are left out';
else
${render(statement, values, schema)}end if;
end $latchkey$;
`;
}

/** One JSON literal; only the quote has a meaning in it, and the dollar around it. Both are the same text in JSON. */
const render = (statement: string, values: readonly unknown[], schema: string): string => {
  const literal = `'${JSON.stringify(values).replaceAll("'", "''").replaceAll('$', '\\u0024')}'::jsonb`;
  return `${statement.replaceAll('@', schema).replace('?', () => literal)}\n`;
};
