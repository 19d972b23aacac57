/** A person changes, by a whole resource or by operations (RFC 7644 3.5). */
import { endFlows } from '../../db/account-locks.js';
import { renewScimRoles, updateScimUser } from '../../db/scim-users.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { assertAddressAllowed } from '../organizations/rules.js';
import type { App } from '../runtime/app.js';
import { joinCompany } from './join-company.js';
import { readOperations } from './patch-operations.js';
import { patchResource } from './patch-resource.js';
import { assertVersion } from './preconditions.js';
import { assertComplete, readResource, type ScimResource } from './read-resource.js';
import { scimEntry } from './scim-audit.js';
import { USER_KIND } from './scim-schemas.js';
import { resourceOf, type ScimAnswer, viewScimUser, wantsGroups, writtenUser } from './scim-user.js';
import { findPerson, type ScimBody, type ScimRequest } from './scim-users.js';
import { assertMayEnd, assertMayName, asTaken, givableRoles, vouchersOf, withLockedPerson } from './scim-write.js';

/** By which a sign-in finds the account. */
const NAMES = ['userName', 'emails'];

/** PUT: what is absent is removed, but whether the person is active. @throws those of {@link patchScimUser} */
export const replaceScimUser = (app: App, request: ScimRequest, pathId: string, body: ScimBody): Promise<ScimAnswer> =>
  changeUser(app, request, pathId, (before) => {
    const resource = readResource(USER_KIND, body);
    assertComplete(USER_KIND, resource);
    return { active: before['active'], ...resource };
  });

/**
 * All of the operations or none.
 * @throws ApiError scimNotFound, scimVersionDiffers, scimSyntaxInvalid, scimPathInvalid, scimValueInvalid, scimMutability, scimNoTarget,
 *   scimTooMany, scimUniqueness, scimLastOwner, scimOwner, scimMemberBeyond
 */
export function patchScimUser(app: App, request: ScimRequest, pathId: string, body: ScimBody): Promise<ScimAnswer> {
  const operations = readOperations(body);
  return changeUser(app, request, pathId, (before) => patchResource(USER_KIND, before, operations));
}

async function changeUser(
  app: App,
  { caller, requestId, projection, preconditions }: ScimRequest,
  pathId: string,
  change: (before: ScimResource) => ScimResource,
): Promise<ScimAnswer> {
  const { id } = await findPerson(app.db, caller, pathId, false);
  const roles = givableRoles(app, caller);
  const work = withLockedPerson(app, caller, id, async (statements, locked) => {
    const before = await findPerson(statements, caller, id, wantsGroups(projection));
    assertVersion(preconditions, before.version);
    const former = resourceOf(before);
    const next = change(former);
    const written = writtenUser(app, next, roles);
    const changed = namesOfChanges(former, next);
    if (changed.length === 0) return { row: before, audit: [] };
    const isEnded = before.active && !written.active;
    if (isEnded) assertMayEnd(caller, locked);
    if (before.owns_account && NAMES.some((name) => changed.includes(name))) assertMayName(caller, locked);
    if (locked !== null && before.owns_account && changed.includes('emails')) {
      assertAddressAllowed(locked.organization.policies, written.email);
    }
    const audit = [
      scimEntry(caller, isEnded ? 'scim.user_deactivated' : 'scim.user_updated', { user_id: id, changed }),
    ];
    const row = await updateScimUser(
      statements,
      caller.scopeId,
      id,
      written,
      vouchersOf(app, caller),
      storedAudit(app, audit),
    );
    if (isEnded) await endFlows(statements, id);
    const isBack = !before.active && written.active;
    if (locked !== null && isBack) audit.push(...(await joinCompany(app, statements, caller, locked, id, written)));
    if (locked !== null && changed.includes('roles')) await renewScimRoles(statements, caller.scopeId, [id]);
    return { row: { ...row!, groups: before.groups }, audit };
  });
  const { row, audit } = await work.catch((error: unknown) => {
    throw asTaken(error);
  });
  logAudit(app, requestId, audit);
  return viewScimUser(app, row, projection);
}

const namesOfChanges = (before: ScimResource, after: ScimResource): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => name !== 'password' && !isSameValue(before[name], after[name]))
    .sort();

/** Whatever the order of the members. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const [left, right] = [one as ScimResource, other as ScimResource];
  return (
    Array.isArray(one) === Array.isArray(other) && [...names].every((name) => isSameValue(left[name], right[name]))
  );
}
