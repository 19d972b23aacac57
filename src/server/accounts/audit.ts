import { memoize } from '../../caching/memoize.js';
import { NIL_UUID } from '../../db/uuid.js';
import type { App } from '../runtime/app.js';

/** Who performed an action. */
export interface Actor {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly fullName?: string | null;
  /** Of operators of the console: added to the traits of each entry. */
  readonly deed?: Readonly<Record<string, unknown>>;
}

/** Of an entry whose statement knows the user, and adds them to it. */
export const UNKNOWN_ACTOR: Actor = { id: '', email: null, phone: null };

/** action → log type */
const logTypes = {
  login: 'account',
  logout: 'account',
  user_signedup: 'team',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_modified: 'user',
  user_updated_password: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_invited: 'team',
  invite_accepted: 'account',
  identity_linked: 'user',
  identity_unlinked: 'user',
  earlier_access_removed: 'user',
  user_deleted: 'team',
  user_impersonated: 'team',
  users_exported: 'team',
  users_import_started: 'team',
  users_imported: 'team',
  user_note_added: 'team',
  user_note_deleted: 'team',
  activity_exported: 'team',
  factor_in_progress: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  verification_failed: 'factor',
  factor_unenrolled: 'factor',
  factor_updated: 'factor',
  factor_deleted: 'factor',
  factors_reset: 'factor',
  trusted_device_added: 'factor',
  trusted_device_removed: 'factor',
  recovery_codes_generated: 'factor',
  recovery_codes_verified: 'factor',
  recovery_codes_regenerated: 'factor',
  recovery_codes_deleted: 'factor',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
  credential_clone_suspected: 'user',
  provider_created: 'team',
  provider_updated: 'team',
  provider_deleted: 'team',
  sso_provider_created: 'team',
  sso_provider_updated: 'team',
  sso_provider_deleted: 'team',
  sso_domain_verified: 'team',
  sso_domain_lost: 'team',
  'scim.user_created': 'team',
  'scim.user_updated': 'team',
  'scim.user_deactivated': 'team',
  'scim.user_deleted': 'team',
  'scim.group_created': 'team',
  'scim.group_updated': 'team',
  'scim.group_deleted': 'team',
  scim_group_roles_changed: 'team',
  scim_token_created: 'team',
  scim_token_deleted: 'team',
  // Their names are those of their events.
  'organization.created': 'team',
  'organization.updated': 'team',
  'organization.deleted': 'team',
  'organization.domain_lost': 'team',
  'organization.domain_verified': 'team',
  'organization.member_added': 'team',
  'organization.member_updated': 'team',
  'organization.member_removed': 'team',
  organization_role_created: 'team',
  organization_role_updated: 'team',
  organization_role_deleted: 'team',
  'organization.invitation_created': 'team',
  'organization.invitation_accepted': 'team',
  'organization.invitation_declined': 'team',
  'organization.invitation_revoked': 'team',
  'organization.invitation_resent': 'team',
  webhook_created: 'team',
  webhook_updated: 'team',
  webhook_deleted: 'team',
  webhook_replayed: 'team',
  webhook_tested: 'team',
  hook_rehearsed: 'team',
  oauth_client_registered: 'team',
  oauth_client_updated: 'team',
  oauth_client_deleted: 'team',
  oauth_authorized: 'user',
  oauth_denied: 'user',
  oauth_token_issued: 'token',
  oauth_code_replayed: 'token',
  oauth_revoked: 'token',
  token_refreshed: 'token',
  token_revoked: 'token',
  operator_created: 'team',
  operator_removed: 'team',
  operator_reset: 'team',
  operator_role_changed: 'team',
  operator_signed_in: 'account',
  operator_signed_out: 'account',
  operator_stepped_up: 'account',
  operator_session_ended: 'team',
  operator_passkey_added: 'factor',
  operator_passkey_removed: 'factor',
  check_started: 'team',
  settings_changed: 'team',
  settings_restored: 'team',
  provider_trace_opened: 'team',
  limit_forgiven: 'team',
  messages_retried: 'team',
  messages_discarded: 'team',
  signing_keys_rotated: 'team',
  signing_key_promoted: 'team',
  signing_key_retired: 'team',
  signing_key_revoked: 'team',
} as const;

/** An administrator as far as the audit log is concerned. */
export interface Administrator {
  readonly role: string;
  readonly subject: string | null;
  /** Of operators of the console: who, in which request and why. */
  readonly deed?: Readonly<Record<string, unknown>>;
}

/**
 * The role becomes the name and the nil UUID the id, as in supabase/auth. A token with a subject has its id, so that
 * administrators can be distinguished (SEC-58).
 */
export const adminActor = ({ role, subject, deed }: Administrator): Actor => ({
  id: subject ?? NIL_UUID,
  email: role,
  phone: null,
  ...(deed && { deed }),
});

export type AuditAction = keyof typeof logTypes;

export interface AuditEntry {
  readonly actor_id: string;
  readonly actor_username: string;
  readonly actor_via_sso: boolean;
  /** Undefined, like `traits`: not in the JSON. */
  readonly actor_name: string | undefined;
  readonly action: AuditAction;
  readonly log_type: string;
  readonly traits: Readonly<Record<string, unknown>> | undefined;
  /** Of the client, once the entry is stored or logged. */
  readonly ip_address?: string;
}

export function auditEntry(actor: Actor, action: AuditAction, traits?: Readonly<Record<string, unknown>>): AuditEntry {
  const { deed } = actor;
  const told = deed === undefined ? traits : { ...deed, ...traits };
  return { ...actorFields(actor), action, log_type: logTypes[action], traits: told };
}

/**
 * Of other things than accounts. Only operators of the console are told apart, and what they changed is, too.
 * @param next what changes; no secrets
 */
export const describeFields = ({ deed }: Pick<Administrator, 'deed'>, former: object, next: object) => {
  if (deed === undefined) return {};
  const after = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
  const values = former as Readonly<Record<string, unknown>>;
  return { before: Object.fromEntries(Object.keys(after).map((name) => [name, values[name] ?? null])), after };
};

const actorFields = ({ id, phone, email, fullName }: Actor) => ({
  actor_id: id,
  actor_username: phone || email || '',
  actor_via_sso: false,
  actor_name: fullName || undefined,
});

/**
 * The entries for the statement that performs the action, so that both are committed together. A trigger moves the address
 * to its column.
 */
export function storedAudit(
  app: Pick<App, 'config' | 'clientAddress'>,
  entries: readonly AuditEntry[],
): readonly AuditEntry[] {
  return app.config.auditLogDisablePostgres ? [] : entries.map((entry) => withAddress(app, entry));
}

function withAddress({ clientAddress }: Pick<App, 'clientAddress'>, entry: AuditEntry): AuditEntry {
  const ip_address = clientAddress?.();
  return ip_address ? { ...entry, ip_address } : entry;
}

/** Logs entries, after their statement has been committed. */
export function logAudit(
  app: Pick<App, 'log' | 'countAuditEvent' | 'clientAddress'>,
  requestId: string,
  entries: readonly AuditEntry[],
): void {
  for (const { action } of entries) app.countAuditEvent?.(action);
  if (!app.log.isLevelEnabled('info')) return;
  const list = entries.map((entry) => logFields(requestId, JSON.stringify(withAddress(app, entry))));
  app.log.lines('info', list, 'audit_event');
}

/**
 * Logs audit events that are not stored.
 * @param actor never mutated: its JSON is memoized
 */
export function logUnstoredAudit(
  app: Pick<App, 'log' | 'countAuditEvent' | 'clientAddress'>,
  requestId: string,
  actor: Readonly<Actor>,
  actions: readonly AuditAction[],
): void {
  for (const action of actions) app.countAuditEvent?.(action);
  if (!app.log.isLevelEnabled('info')) return;
  const address = app.clientAddress?.();
  const start = logFields(requestId, renderActor(actor)) + (address ? `,"ip_address":"${address}"` : '');
  const list = actions.map((action) => start + entryEnds[action]);
  app.log.lines('info', list, 'audit_event');
}

/** The rest of an entry without traits after its actor, as JSON. Joined: each line would walk through a concatenation. */
const entryEnds = Object.fromEntries(
  Object.entries(logTypes).map(([action, log_type]) => [
    action,
    [',', JSON.stringify({ action, log_type }).slice(1)].join(''),
  ]),
) as Readonly<Record<AuditAction, string>>;

const renderActor = memoize((actor: Readonly<Actor>) => JSON.stringify(actorFields(actor)).slice(0, -1));

/** Request ids need no escaping (http/request.ts). */
const logFields = (requestId: string, entry: string): string =>
  `,"component":"audit","request_id":"${requestId}","auth_audit_event":${entry}`;
