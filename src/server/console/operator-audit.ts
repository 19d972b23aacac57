/** What operators do, as the audit log says it: who, in which request, why, and what was before and after. */
import { appendAudit } from '../../db/audit.js';
import {
  type Administrator,
  type AuditAction,
  type AuditEntry,
  adminActor,
  auditEntry,
  logAudit,
  storedAudit,
} from '../accounts/audit.js';
import type { App } from '../runtime/app.js';
import type { OperatorCaller, OperatorIdentity } from './operator.js';

/** The request in which an operator acts. */
export interface OperatorDeed {
  readonly operator: OperatorIdentity;
  readonly requestId: string;
  /** As the operator gave it. */
  readonly reason?: string | undefined;
}

/** An operator as the rules for administrators take them. */
export const asAdministrator = ({ operator, requestId, reason }: OperatorDeed): Administrator => ({
  role: operator.name,
  subject: operator.id,
  deed: {
    operator: { id: operator.id, name: operator.name, role: operator.role },
    request_id: requestId,
    ...(reason !== undefined && reason !== '' && { reason }),
  },
});

/** @param traits whom or what it concerns, `before` and `after`; no secrets */
export const operatorEntry = (
  deed: OperatorDeed,
  action: AuditAction,
  traits: Readonly<Record<string, unknown>>,
): AuditEntry => auditEntry(adminActor(asAdministrator(deed)), action, traits);

/** The request of an operator, with the reason in its body. */
export const deedOf = (request: {
  readonly id: string;
  readonly caller: OperatorCaller;
  readonly body: { readonly reason?: string } | undefined;
}): OperatorDeed => ({ operator: request.caller, requestId: request.id, reason: request.body?.reason });

/** Stores and logs the entry of what no statement does, before it is done. */
export async function recordDeed(
  app: Pick<App, 'config' | 'db' | 'log' | 'countAuditEvent'>,
  deed: OperatorDeed,
  action: AuditAction,
  traits: Readonly<Record<string, unknown>>,
): Promise<void> {
  const audit = [operatorEntry(deed, action, traits)];
  await appendAudit(app.db, storedAudit(app, audit));
  logAudit(app, deed.requestId, audit);
}
