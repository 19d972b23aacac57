/** What becomes of organizations with the account of their only owner. */
import { lockSoleOwnerships, removeOrganization } from '../../db/organizations.js';
import type { Statements } from '../../db/types.js';
import { type Actor, type AuditEntry, auditEntry, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';

/**
 * `refuse`: the account stays while one of them has other members; `delete`: they are deleted; `keep`: they stay without an
 * owner. One without other members goes with the account, unless it is kept.
 */
export type SoleOwned = 'refuse' | 'delete' | 'keep';

/**
 * Call it with the account locked, before the account is deleted. It costs nothing where organizations are off.
 * @returns audit entries to log once the transaction is committed
 * @throws ApiError lastOwner
 */
export async function endOwnerships(
  app: Pick<App, 'config' | 'clientAddress'>,
  statements: Statements,
  actor: Actor,
  userId: string,
  wanted: SoleOwned,
): Promise<readonly AuditEntry[]> {
  if (!app.config.organizationsEnabled) return [];
  const owned = await lockSoleOwnerships(statements, userId);
  if (wanted === 'refuse' && owned.some(({ has_others: hasOthers }) => hasOthers)) throw apiError('lastOwner');
  const entries: AuditEntry[] = [];
  for (const { id, name, slug } of wanted === 'keep' ? [] : owned) {
    const entry = auditEntry(actor, 'organization.deleted', { organization_id: id, name, slug });
    await removeOrganization(statements, id, storedAudit(app, [entry]));
    entries.push(entry);
  }
  return entries;
}
