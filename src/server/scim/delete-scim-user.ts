/** A person goes (RFC 7644 3.6). */
import { endFlows } from '../../db/account-locks.js';
import { removeMember } from '../../db/organization-members.js';
import { lockSoleOwnerships } from '../../db/organizations.js';
import { forgetScimUser, hasOtherScope, type ScimUserRow, softDeleteScimUser } from '../../db/scim-users.js';
import type { Statements } from '../../db/types.js';
import { type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { deleteLocked } from '../accounts/delete-account.js';
import type { App } from '../runtime/app.js';
import { assertVersion } from './preconditions.js';
import { scimActor, scimEntry } from './scim-audit.js';
import type { ScimCaller } from './scim-caller.js';
import { findPerson, type ScimRequest } from './scim-users.js';
import { assertMayEnd, withLockedPerson } from './scim-write.js';

/**
 * The person is gone for the identity provider. An account that is the company's is banned and kept, or removed (SCIM_DELETE); one that
 * was there before leaves the organization.
 * @throws ApiError scimNotFound, scimVersionDiffers, scimLastOwner, scimOwner
 */
export async function deleteScimUser(app: App, request: ScimRequest, pathId: string): Promise<void> {
  const { caller, requestId, preconditions } = request;
  const { id } = await findPerson(app.db, caller, pathId, false);
  const audit = await withLockedPerson(app, caller, id, async (statements, locked) => {
    const before = await findPerson(statements, caller, id, false);
    assertVersion(preconditions, before.version);
    assertMayEnd(caller, locked);
    const entries = [scimEntry(caller, 'scim.user_deleted', { user_id: id, user_name: before.user_name })];
    await softDeleteScimUser(statements, caller.scopeId, id, storedAudit(app, entries));
    await endFlows(statements, id);
    if (locked?.concerned) await removeMember(statements, locked.organization.id, id, []);
    return app.config.scimDelete === 'remove'
      ? [...entries, ...(await removeAccount(app, statements, caller, before))]
      : entries;
  });
  logAudit(app, requestId, audit);
}

/**
 * An account that another provider has stays. One that is the only owner of another organization is banned, as with SCIM_DELETE=ban.
 * @returns audit entries
 */
async function removeAccount(
  app: App,
  statements: Statements,
  caller: ScimCaller,
  { id, owns_account: ownsAccount }: ScimUserRow,
): Promise<readonly AuditEntry[]> {
  const isShared = await hasOtherScope(statements, caller.scopeId, id);
  // With its only owner another organization would end.
  if (ownsAccount && !isShared && (await lockSoleOwnerships(statements, id)).length > 0) return [];
  await forgetScimUser(statements, caller.scopeId, id);
  if (!ownsAccount || isShared) return [];
  const deletion = { actor: scimActor(caller), traits: { user_id: id }, notices: [], organizations: 'refuse' } as const;
  return (await deleteLocked(app, statements, id, 'hard', deletion)) ?? [];
}
