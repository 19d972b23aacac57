/** Which statements need one shard only, if tables are split as docs/growing.md says. */
import type { Statement } from '../../src/db/statements.js';

/** The distribution key of each table. Tables distributed by user are co-located. */
export const distributionKeys: Readonly<Record<string, string>> = {
  users: 'id',
  identities: 'user_id',
  sessions: 'user_id',
  account_origins: 'user_id',
  known_devices: 'user_id',
  leak_notices: 'user_id',
  address_undos: 'user_id',
  mfa_factors: 'user_id',
  mfa_challenges: 'factor_id',
  mfa_recovery_codes: 'factor_id',
  mfa_trusted_devices: 'user_id',
  moved_accounts: 'user_id',
  moved_clients: 'everywhere',
  moved_consents: 'user_id',
  moved_factors: 'factor_id',
  moved_passkeys: 'passkey_id',
  moved_providers: 'everywhere',
  moved_sessions: 'session_id',
  moved_sso_providers: 'everywhere',
  moved_tokens: 'token_hash',
  one_time_tokens: 'user_id',
  flow_states: 'id',
  passkeys: 'user_id',
  used_challenges: 'id',
  oauth_revoked_tokens: 'id',
  browsers: 'id',
  page_flows: 'id',
  refusals: 'id',
  stats_daily: 'day',
  live_figures: 'thread_id',
  oauth_clients: 'everywhere',
  oauth_authorizations: 'id',
  oauth_consents: 'user_id',
  oauth_logouts: 'client_id',
  dpop_proofs: 'id',
  sso_providers: 'everywhere',
  sso_domains: 'everywhere',
  saml_relay_states: 'id',
  saml_assertions: 'id',
  scim_scopes: 'everywhere',
  scim_tokens: 'everywhere',
  scim_users: 'user_id',
  scim_bans: 'user_id',
  scim_groups: 'everywhere',
  scim_group_members: 'user_id',
  scim_group_roles: 'everywhere',
  scim_calls: 'everywhere',
  outbox: 'recipient_hash',
  outbox_failures: 'id',
  rate_counters: 'key',
  audit_log: 'id',
  custom_providers: 'everywhere',
  organizations: 'everywhere',
  organization_roles: 'everywhere',
  organization_members: 'user_id',
  organization_invitations: 'everywhere',
  organization_domains: 'everywhere',
  organization_former_members: 'user_id',
  events: 'sequence',
  event_log: 'everywhere',
  webhook_endpoints: 'everywhere',
  webhook_deliveries: 'endpoint_id',
  webhook_queues: 'endpoint_id',
  migrations: 'everywhere',
  signing_keys: 'everywhere',
  operators: 'everywhere',
  operator_passkeys: 'everywhere',
  operator_sessions: 'everywhere',
  operator_links: 'everywhere',
  check_runs: 'everywhere',
  saved_filters: 'everywhere',
  import_runs: 'everywhere',
  import_results: 'run_id',
  import_keys: 'run_id',
  user_notes: 'user_id',
  provider_traces: 'everywhere',
  setting_sets: 'everywhere',
  setting_changes: 'everywhere',
  setting_processes: 'everywhere',
};

const BY_USER = [
  'users',
  'identities',
  'sessions',
  'one_time_tokens',
  'account_origins',
  'known_devices',
  'leak_notices',
  'address_undos',
  'mfa_factors',
  'mfa_trusted_devices',
  'passkeys',
  'oauth_consents',
  'user_notes',
  'organization_members',
  'organization_former_members',
  'scim_users',
  'scim_bans',
  'scim_group_members',
];

/**
 * @param statement loaded without a prefix
 * @returns whether its parameters determine one shard. Audit entries do not count: almost every statement appends some,
 *   to any shard, and AUTH_AUDIT_LOG_DISABLE_POSTGRES turns them off.
 */
export function isOneShard({ text }: Pick<Statement, 'text'>): boolean {
  const all = [...new Set([...text.matchAll(/"([a-z_]+)"/g)].map(([, name]) => name!))];
  const known = all.filter((name) => name in distributionKeys);
  const tables = known.filter((name) => name !== 'audit_log' && distributionKeys[name] !== 'everywhere');
  if (tables.length === 0)
    return known.some((name) => distributionKeys[name] === 'everywhere') || !known.includes('audit_log');
  if (tables.every((name) => BY_USER.includes(name))) return namesUser(text);
  if (tables.length > 1) return false;
  if (tables[0] === 'rate_counters') return /\bkey = \$\d|\(name, key, [^)]*\)\nvalues \([^,]+, \$\d/.test(text);
  return /flow/.test(tables[0]!) && /\bf\.id = \$\d|\(id, [^)]*\)\nvalues \(\$1\b/.test(text);
}

/** A user id is a parameter, and no row is looked up by a value that any user might have. */
function namesUser(text: string): boolean {
  const isGiven =
    /\bu\.id = \$\d|\buser_id = \$\d|unnest\(\(select \$1::uuid\[\]\)[^;]*\(user_id,/.test(text) ||
    /insert into "users" \([^)]*\)\s*values \(\$1\b/.test(text);
  const searchesAllUsers =
    /\b(?:where|and|or)\s+(?:\w\.)?(?:email|phone|recipient|link_hash|new_phone) = (?:any\()?\$\d/.test(text) ||
    ['s', 't'].some((alias) => text.includes(` ${alias}.id = `) && !text.includes(` ${alias}.user_id = `));
  return isGiven && !searchesAllUsers;
}
