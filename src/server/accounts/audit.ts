import type { App } from '../app.js';
import { NIL_UUID } from './uuid.js';

/** Who did it, as far as the audit log names people (operations.md 5.6). */
export interface Actor {
  readonly id: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly fullName?: string | null;
}

/** action → log type; the whole vocabulary of the flows that exist. */
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
  user_deleted: 'team',
  token_refreshed: 'token',
  token_revoked: 'token',
} as const;

/**
 * An operator: the role stands for the name, the nil UUID for the account (operations.md 5.6); a token that names an
 * account leaves its id, so that two operators can be told apart (SEC-58).
 */
export const adminActor = ({ role, subject }: { role: string; subject: string | null }): Actor => ({
  id: subject ?? NIL_UUID,
  email: role,
  phone: null,
});

export type AuditAction = keyof typeof logTypes;

export interface AuditEntry {
  readonly actor_id: string;
  readonly actor_username: string;
  readonly actor_via_sso: boolean;
  /** As `traits`: not in the JSON when it is undefined. */
  readonly actor_name: string | undefined;
  readonly action: AuditAction;
  readonly log_type: string;
  readonly traits: Readonly<Record<string, unknown>> | undefined;
}

export function auditEntry(actor: Actor, action: AuditAction, traits?: Readonly<Record<string, unknown>>): AuditEntry {
  return {
    actor_id: actor.id,
    actor_username: actor.phone || actor.email || '',
    actor_via_sso: false,
    actor_name: actor.fullName || undefined,
    action,
    log_type: logTypes[action],
    traits,
  };
}

/** What goes into the statement that does the deed, so that entry and deed are committed together or not at all. */
export function storedAudit(app: Pick<App, 'config'>, entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return app.config.auditLogDisablePostgres ? [] : entries;
}

/** Each entry is a log line too, once its statement has been committed. */
export function logAudit(app: Pick<App, 'log' | 'countDeed'>, requestId: string, entries: readonly AuditEntry[]): void {
  for (const { action } of entries) app.countDeed?.(action);
  if (!app.log.isLevelEnabled('info')) return;
  const members = `,"component":"audit","request_id":${JSON.stringify(requestId)},"auth_audit_event":`;
  for (const entry of entries) {
    app.log.line('info', members + JSON.stringify(entry), 'audit_event');
  }
}
