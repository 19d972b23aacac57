import { onceEach } from '../../caching/once-each.js';
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
  return { ...nameActor(actor), action, log_type: logTypes[action], traits };
}

const nameActor = ({ id, phone, email, fullName }: Actor) => ({
  actor_id: id,
  actor_username: phone || email || '',
  actor_via_sso: false,
  actor_name: fullName || undefined,
});

/** What goes into the statement that does the deed, so that entry and deed are committed together or not at all. */
export function storedAudit(app: Pick<App, 'config'>, entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return app.config.auditLogDisablePostgres ? [] : entries;
}

/** Each entry is a log line too, once its statement has been committed. */
export function logAudit(app: Pick<App, 'log' | 'countDeed'>, requestId: string, entries: readonly AuditEntry[]): void {
  for (const { action } of entries) app.countDeed?.(action);
  if (!app.log.isLevelEnabled('info')) return;
  const list = entries.map((entry) => membersOf(requestId, JSON.stringify(entry)));
  app.log.lines('info', list, 'audit_event');
}

/**
 * Deeds that are in the log alone, by somebody who may do many.
 * @param actor an object that nobody changes: who it names is written as JSON once
 */
export function logDeeds(
  app: Pick<App, 'log' | 'countDeed'>,
  requestId: string,
  actor: Readonly<Actor>,
  actions: readonly AuditAction[],
): void {
  for (const action of actions) app.countDeed?.(action);
  if (!app.log.isLevelEnabled('info')) return;
  const start = membersOf(requestId, renderActor(actor));
  app.log.lines(
    'info',
    actions.map((action) => `${start},"action":"${action}","log_type":"${logTypes[action]}"}`),
    'audit_event',
  );
}

const renderActor = onceEach((actor: Readonly<Actor>) => JSON.stringify(nameActor(actor)).slice(0, -1));

/** An id has nothing to escape, whoever made it (http/request.ts). */
const membersOf = (requestId: string, entry: string): string =>
  `,"component":"audit","request_id":"${requestId}","auth_audit_event":${entry}`;
