/** What users have allowed clients to do. */
import { withLockedUser } from '../../db/account-locks.js';
import { listGrantsOf, revokeGrantOf } from '../../db/oauth-grants.js';
import type { UserRow } from '../../db/user-rows.js';
import { type Actor, auditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { storedKey } from './client-id.js';
import { nameClient } from './client-view.js';

/** Newest first. */
export async function listGrants(app: Pick<App, 'db'>, userId: string) {
  const grants = await listGrantsOf(app.db, userId);
  return grants.map(({ client, scopes, granted_at }) => ({ client: nameClient(client), scopes, granted_at }));
}

/**
 * Takes back what a client was allowed: its sessions of this user end.
 * @param requestId for the audit log
 * @param clientId as the list has it, or the UUID of the client
 * @param actor who takes it back, for the audit log; default: the user
 * @throws ApiError clientIdNotUuid, grantNotFound
 */
export async function revokeGrant(
  app: App,
  requestId: string,
  user: Readonly<UserRow>,
  clientId: string,
  actor?: Actor,
): Promise<void> {
  const id = storedKey(clientId);
  if (id === null) throw apiError('clientIdNotUuid');
  const traits = { client_id: id, ...(actor && { user_id: user.id }) };
  const audit = [auditEntry(actor ?? user, 'token_revoked', traits)];
  const isRevoked = await withLockedUser(app.db, user.id, (statements) =>
    revokeGrantOf(statements, user.id, id, storedAudit(app, audit)),
  );
  if (!isRevoked) throw apiError('grantNotFound');
  logAudit(app, requestId, audit);
}
