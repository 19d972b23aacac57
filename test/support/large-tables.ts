import type pg from 'pg';

/** Ids in order, since those by chance take three times as long to insert. @param kind one hexadecimal digit */
const id = (kind: string, n = 'n'): string => `('${kind}0000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** One statement per table, with the selectivity of production: one row in a hundred is revoked, due, pending… */
const fills: Readonly<Record<string, string>> = {
  users: `
    insert into users (id, aud, role, email, phone, new_email, new_phone, email_confirmed_at, created_at)
    select ${id('a')}, 'authenticated', 'authenticated', 'u' || n || '@example.com', (15550000000 + n)::text,
      case when n % 100 = 0 then 'n' || n || '@example.com' end, case when n % 100 = 1 then (16660000000 + n)::text end,
      now(), now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  identities: `
    insert into identities (user_id, provider, provider_id, identity_data, created_at)
    select ${id('a')}, case when n % 3 = 0 then 'google' else 'email' end, md5('u' || n),
      jsonb_build_object('sub', n, 'email', 'u' || n || '@example.com', 'email_verified', true),
      now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  sessions: `
    insert into sessions (id, user_id, oauth_client_id, refreshed_at, revoked_at, not_after, created_at)
    select ${id('b')}, ${id('a')}, case when n % 10 = 0 then ${id('6')} end, now() - n * interval '1 minute',
      case when n % 100 = 0 then now() - n * interval '1 minute' end,
      case when n % 100 = 1 then now() + n * interval '1 minute' end, now() - n * interval '2 minutes'
    from generate_series(1, $1::int) n`,
  one_time_tokens: `
    insert into one_time_tokens (user_id, kind, recipient, link_hash, code_hash, session_id, sign_up, created_at)
    select case when n % 2 = 0 then ${id('a')} end, case when n % 2 = 0 then 'confirmation' else 'sign_up' end,
      'u' || n || '@example.com', md5('l' || n), md5('c' || n), case when n % 100 = 0 then ${id('b')} end,
      case when n % 2 = 1 then '{"audience":"authenticated"}'::jsonb end, now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  flow_states: `
    insert into flow_states (id, user_id, authentication_method, provider, auth_code_hash, redirect_to,
      linking_target_id, created_at)
    select ${id('c')}, case when n % 10 = 0 then ${id('a')} end, 'oauth', 'google',
      case when n % 10 = 0 then md5('a' || n) end, 'https://app.example.com/',
      case when n % 100 = 1 then ${id('a')} end, now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  audit_log: `
    insert into audit_log (payload, created_at)
    select jsonb_build_object('action', 'login', 'actor_username', 'u' || n || '@example.com', 'actor_id', md5('a' || n),
        'traits', jsonb_build_object('user_id', md5('u' || n))),
      now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  refusals: `
    insert into refusals (created_at, request_id, method, route, status, error_code, error, steps, user_id, left_out)
    select now() - n * interval '1 second', md5('q' || n), 'POST', '/token', 400, 'code' || n % 100, 'invalidLogin', '!rules',
      case when n % 2 = 0 then ${id('a')} end, 0
    from generate_series(1, $1::int) n`,
  rate_counters: `
    insert into rate_counters (name, key, level, updated_at)
    select case when n % 2 = 0 then 'sign_in' else 'client.token' end, 'k' || n, 1, now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  outbox: `
    insert into outbox (id, user_id, kind, recipient_hash, sealed, next_attempt_at, data_started_at, created_at)
    select ${id('d')}, case when n % 2 = 0 then ${id('a')} end,
      case when n % 100 = 0 then 'text:confirmation' else 'recovery' end, md5('r' || n), 'x',
      now() + n * interval '1 second', case when n % 1000 = 0 then now() end, now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  outbox_failures: `
    insert into outbox_failures (id, user_id, kind, is_text, reason, stage, attempts, created_at, failed_at)
    select ${id('d')}, case when n % 2 = 0 then ${id('a')} end, 'recovery', n % 100 = 0, 'refused', 'recipient', 1,
      now() - n * interval '2 seconds', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  mfa_factors: `
    insert into mfa_factors (id, user_id, kind, status, friendly_name, secret, created_at)
    select ${id('1')}, ${id('a')}, case when n % 4 = 0 then 'recovery_code' else 'totp' end,
      case when n % 100 = 1 then 'unverified' else 'verified' end, 'app', 'x', now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  mfa_challenges: `
    insert into mfa_challenges (id, factor_id, session_id, ip, created_at)
    select ${id('2')}, ${id('1')}, ${id('b')}, '192.0.2.1', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  mfa_recovery_codes: `
    insert into mfa_recovery_codes (id, factor_id, code_hash)
    select ${id('3')}, ${id('1', 'n / 10')}, md5('h' || n) from generate_series(1, $1::int) n`,
  mfa_trusted_devices: `
    insert into mfa_trusted_devices (user_id, factor_id, token_hash, expires_at)
    select ${id('a')}, ${id('1')}, md5('t' || n), now() + interval '1 day' from generate_series(1, $1::int) n`,
  passkeys: `
    insert into passkeys (user_id, credential_id, public_key, attestation_format, aaguid, sign_count, backup_eligible,
      backed_up, friendly_name)
    select ${id('a')}, sha256(n::text::bytea), '\\x00', 'none', ${id('e')}, 0, true, true, 'Passkey'
    from generate_series(1, $1::int) n`,
  used_challenges: `
    insert into used_challenges (id, expires_at)
    select ${id('f')}, now() - n * interval '1 second' from generate_series(1, $1::int) n`,
  oauth_revoked_tokens: `
    insert into oauth_revoked_tokens (id, expires_at)
    select ${id('7')}, now() - n * interval '1 second' from generate_series(1, $1::int) n`,
  browsers: `
    insert into browsers (secret_hash, session_ids, used_at)
    select md5('w' || n), array[${id('b')}], now() - n * interval '1 minute' from generate_series(1, $1::int) n`,
  page_flows: `
    insert into page_flows (id, kind, session_id, created_at)
    select ${id('5')}, 'account', ${id('b')}, now() - n * interval '1 second' from generate_series(1, $1::int) n`,
  oauth_clients: `
    insert into oauth_clients (id, name, client_type, auth_method, redirect_uris, grant_types, registration, created_at)
    select ${id('6')}, 'c' || n, 'public', 'none', '{}', '{}', 'dynamic', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  oauth_authorizations: `
    insert into oauth_authorizations (id, client_id, redirect_uri, scope, scopes, user_id, code_hash, created_at)
    select 'r' || n, ${id('6')}, 'https://c.example.com', 'email', '{email}', ${id('a')}, md5('o' || n),
      now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  oauth_logouts: `
    insert into oauth_logouts (client_id, user_id, session_id, next_attempt_at)
    select ${id('6')}, ${id('a')}, ${id('b')}, now() + n * interval '1 second' from generate_series(1, $1::int) n`,
  dpop_proofs: `
    insert into dpop_proofs (id, expires_at)
    select decode(md5('z' || n), 'hex'), now() - n * interval '1 second' from generate_series(1, $1::int) n`,
  saml_relay_states: `
    insert into saml_relay_states (id, provider_id, request_id, redirect_to, expires_at)
    select ${id('1')}, ${id('2')}, 'id-' || n, 'https://app.example.com', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  saml_assertions: `
    insert into saml_assertions (id, expires_at)
    select decode(md5('s' || n), 'hex'), now() - n * interval '1 second' from generate_series(1, $1::int) n`,
  oauth_consents: `
    insert into oauth_consents (user_id, client_id, scopes)
    select ${id('a')}, ${id('6')}, '{email}' from generate_series(1, $1::int) n`,
  address_undos: `
    insert into address_undos (link_hash, user_id, email, created_at)
    select md5('l' || n), ${id('a')}, 'a' || n || '@example.com', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  known_devices: `
    insert into known_devices (user_id, device) select ${id('a')}, 'Firefox on Linux' from generate_series(1, $1::int) n`,
  leak_notices: `
    insert into leak_notices (user_id, password_digest) select gen_random_uuid(), '\\x00' from generate_series(1, $1::int) n`,
  account_origins: `
    insert into account_origins (user_id) select ${id('a')} from generate_series(1, $1::int) n`,
  moved_accounts: `
    insert into moved_accounts (user_id, digest, updated_at)
    select ${id('a')}, md5('m' || n), now() from generate_series(1, $1::int) n`,
  moved_factors: `
    insert into moved_factors (factor_id, digest, updated_at)
    select ${id('1')}, md5('m' || n), now() from generate_series(1, $1::int) n`,
  moved_passkeys: `
    insert into moved_passkeys (passkey_id, digest, updated_at)
    select ${id('4')}, md5('m' || n), now() from generate_series(1, $1::int) n`,
  moved_sessions: `
    insert into moved_sessions (session_id, digest, generation, token_key)
    select ${id('b')}, md5('m' || n), 2, case when n % 2 = 0 then md5('k' || n) end
    from generate_series(1, $1::int) n`,
  moved_tokens: `
    insert into moved_tokens (token_hash, session_id, generation)
    select md5('t' || n), ${id('b')}, 2 from generate_series(1, $1::int) n`,
  moved_clients: `
    insert into moved_clients (client_id, digest, version)
    select ${id('6')}, md5('m' || n), 1 from generate_series(1, $1::int) n`,
  moved_consents: `
    insert into moved_consents (consent_id, user_id, client_id, digest, granted_at)
    select ${id('d')}, ${id('a')}, ${id('6')}, md5('m' || n), now() from generate_series(1, $1::int) n`,
  events: `
    insert into events (position, type, user_id, data, created_at)
    select case when n % 100 > 0 then n end, 'user.created', ${id('a')}, '{}', now() - n * interval '1 second'
    from generate_series(1, $1::int) n`,
  webhook_deliveries: `
    insert into webhook_deliveries (endpoint_id, event_sequence, position, ordering_key, state)
    select ${id('e', 'n % 5')}, n, n, ${id('a')}, (array['delivered', 'dead', 'pending'])[greatest(1, n % 100 - 96)]
    from generate_series(1, $1::int) n`,
  webhook_queues: `
    insert into webhook_queues (endpoint_id, ordering_key, last_position, next_attempt_at)
    select ${id('e', 'n % 5')}, ${id('a')}, n, case when n % 100 > 0 then 'infinity' else now() end
    from generate_series(1, $1::int) n`,
  organizations: `
    insert into organizations (id, name, slug, created_at)
    select ${id('8')}, 'Company ' || n, 'company-' || n, now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  organization_members: `
    insert into organization_members (organization_id, user_id, roles, via, joined_at, email_key, phone_key, name_key)
    select ${id('8', 'n / 20')}, ${id('a')},
      case n % 20 when 0 then '{owner}'::text[] when 1 then '{admin}'::text[] else '{member}'::text[] end, 'admin',
      now() - n * interval '1 minute', 'u' || n || '@example.com', (15550000000 + n)::text, 'user ' || n
    from generate_series(1, $1::int) n`,
  organization_invitations: `
    insert into organization_invitations (id, organization_id, email, roles, invited_by, created_at, expires_at)
    select ${id('9')}, ${id('8', 'n / 20')}, 'i' || n || '@example.com', '{member}', ${id('a')},
      now() - n * interval '1 minute', now() + interval '7 days'
    from generate_series(1, $1::int) n`,
  scim_users: `
    insert into scim_users (scope_id, user_id, user_name, user_name_key, external_id, email_keys, active, resource, search,
      owns_account, created_at, deleted_at)
    select ${id('8', 'n / 1000')}, ${id('a')}, 'u' || n, 'u' || n, 'x' || n, array['u' || n || '@example.com'], true, '{}', '{}',
      true, now() - n * interval '1 minute', case when n % 100 = 0 then now() - n * interval '1 minute' end
    from generate_series(1, $1::int) n`,
  scim_bans: `insert into scim_bans (user_id) select ${id('a')} from generate_series(1, $1::int / 2) n`,
  scim_groups: `
    insert into scim_groups (id, scope_id, display_name, display_key, external_id, created_at)
    select ${id('7')}, ${id('8', 'n / 1000')}, 'g' || n, 'g' || n, 'x' || n, now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  scim_group_members: `
    insert into scim_group_members (group_id, user_id, scope_id)
    select ${id('7', 'n / 100')}, ${id('a')}, ${id('8', 'n / 1000')} from generate_series(1, $1::int) n`,
  scim_calls: `
    insert into scim_calls (scope_id, called_at, request_id, token_name, method, path, status, changes)
    select ${id('8', 'n / 1000')}, now() - n * interval '1 second', md5('q' || n), 'directory', 'PATCH', '/Users', 200, '{active}'
    from generate_series(1, $1::int) n`,
  organization_former_members: `
    insert into organization_former_members (organization_id, user_id)
    select ${id('8', 'n / 20 + 1')}, ${id('a')} from generate_series(1, $1::int / 2) n`,
  user_notes: `
    insert into user_notes (user_id, operator_id, operator_name, body, created_at)
    select ${id('a')}, ${id('f', 'n % 5')}, 'ann', 'called', now() - n * interval '1 minute'
    from generate_series(1, $1::int) n`,
  import_results: `
    insert into import_results (run_id, position, results)
    select ${id('f', 'n % 20')}, n, '[]' from generate_series(1, $1::int) n`,
  import_keys: `
    insert into import_keys (run_id, key_hash, line)
    select ${id('f', 'n % 20')}, md5('k' || n), n from generate_series(1, $1::int) n`,
};

/** Tables that always stay small, with the reason. */
export const smallTables: Readonly<Record<string, string>> = {
  migrations: 'one row a migration',
  event_log: 'one row',
  webhook_endpoints: 'one row an endpoint',
  custom_providers: 'one row a provider',
  sso_providers: 'one row a company',
  sso_domains: 'some rows a company',
  moved_providers: 'one row a provider',
  moved_sso_providers: 'one row a company',
  organization_roles: '64 rows at most',
  scim_scopes: 'one row a company',
  scim_tokens: 'two rows a company',
  scim_group_roles: 'some rows an organization',
  organization_domains: 'some rows an organization, 50 at most',
  setting_sets: 'one row for each change of settings',
  setting_changes: 'one row for each setting of such a change',
  setting_processes: 'one row a process',
  signing_keys: 'one row a key, of which few are not retired',
  provider_traces: 'one row for each that an operator opens, for a day',
  check_runs: 'one row for each check and argument, for a week',
  import_runs: 'one row for each file that an operator imports, for a week',
  saved_filters: 'fifty rows an operator at most',
  operators: 'one row for each who uses the console',
  operator_passkeys: 'few rows an operator',
  operator_sessions: 'few rows an operator, which go at the next sign-in once they are over',
  operator_links: 'one row a link, for 15 minutes',
  stats_daily: 'some rows a day, for 400 days',
  live_figures: 'one row a server thread',
};

/**
 * Fills all tables of a migrated database without a namespace. Indexes are rebuilt afterwards, which takes half as
 * long as keeping them.
 * @param admin a superuser: foreign keys and triggers are left out, which would make this take minutes
 * @param rowCount of each table
 * @returns their names
 */
export async function fillTables(admin: pg.Client, rowCount: number): Promise<readonly string[]> {
  const { rows: indexes } = await admin.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`);
  await admin.query("set session_replication_role = replica; set maintenance_work_mem = '128MB'");
  for (const { name } of indexes) await admin.query(`drop index ${name}`);
  for (const fill of Object.values(fills)) await admin.query(fill, [rowCount]);
  for (const { definition } of indexes) await admin.query(definition);
  await admin.query('vacuum analyze');
  await admin.query('reset session_replication_role; reset maintenance_work_mem');
  return Object.keys(fills);
}
