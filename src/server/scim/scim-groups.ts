/** Groups: made, read, changed and ended by the identity provider. */
import { randomUUID } from 'node:crypto';
import {
  changeScimGroup,
  findScimGroup,
  insertScimGroup,
  listScimGroups,
  removeScimGroup,
  type ScimGroupChange,
  type ScimGroupRow,
} from '../../db/scim-groups.js';
import { readUuid } from '../../db/uuid.js';
import { type AuditEntry, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type ListParameters, readListRequest, writeScimCursor } from './list-request.js';
import { readOperations } from './patch-operations.js';
import { assertVersion } from './preconditions.js';
import { assertComplete, readResource } from './read-resource.js';
import { scimEntry } from './scim-audit.js';
import type { ScimCaller } from './scim-caller.js';
import { readGroup, readGroupPatch, refuseMember, viewScimGroup, wantsMembers } from './scim-group.js';
import { viewScimPage } from './scim-list.js';
import { GROUP_KIND } from './scim-schemas.js';
import type { ScimAnswer } from './scim-user.js';
import type { ScimBody, ScimRequest } from './scim-users.js';
import { assertMayFill, withLockedPeople } from './write-group.js';

const notFound = (id: string) => apiError('scimNotFound', { id: id.slice(0, 100) });

/** @throws ApiError scimNotFound */
function readGroupId(pathId: string): string {
  const id = readUuid(pathId);
  if (id === null) throw notFound(pathId);
  return id;
}

async function findGroup(app: App, { scopeId }: ScimCaller, id: string, withMembers: boolean): Promise<ScimGroupRow> {
  const row = await findScimGroup(app.db, scopeId, id, withMembers);
  if (row === undefined) throw notFound(id);
  return row;
}

/** @throws ApiError scimNotFound */
export async function readScimGroup(
  app: App,
  { caller, projection }: ScimRequest,
  pathId: string,
): Promise<ScimAnswer> {
  const row = await findGroup(app, caller, readGroupId(pathId), wantsMembers(projection));
  return viewScimGroup(app, row, projection);
}

/** @throws ApiError scimFilterInvalid, scimValueInvalid, scimCursorInvalid */
export async function listGroups(app: App, { scopeId }: ScimCaller, parameter: ListParameters) {
  const { filter, projection, count, startIndex, after } = readListRequest(GROUP_KIND, parameter);
  const place = { after, offset: startIndex === null ? 0 : startIndex - 1, limit: count };
  // Of what is no id there is no member.
  const members = (filter?.members ?? []).flatMap((id) => readUuid(id) ?? []);
  const rows = await listScimGroups(app.db, scopeId, filter, members, place, wantsMembers(projection));
  const found = rows.filter((row): row is ScimGroupRow & { total: number } => row.id !== null);
  const last = found.at(-1);
  const hasNext = startIndex === null && last !== undefined && found.length === count;
  return viewScimPage({
    total: rows[0]?.total ?? 0,
    resources: found.map((row) => viewScimGroup(app, row, projection).body),
    startIndex,
    nextCursor: hasNext ? writeScimCursor({ createdAt: last.created_at, id: last.id }) : null,
  });
}

/** @throws ApiError scimValueInvalid, scimUniqueness, scimGroupBeyond, scimTokenInvalid */
export async function createScimGroup(app: App, request: ScimRequest, body: ScimBody): Promise<ScimAnswer> {
  const { caller, requestId, projection } = request;
  const resource = readResource(GROUP_KIND, body);
  assertComplete(GROUP_KIND, resource);
  const group = { id: randomUUID(), ...readGroup(resource) };
  const traits = { group_id: group.id, display_name: group.displayName, members: group.members.length };
  const audit = [scimEntry(caller, 'scim.group_created', traits)];
  const isMade = await withLockedPeople(app, caller, group.members, null, async (statements) => {
    await assertMayFill(statements, caller, { id: null, displayName: group.displayName, added: group.members });
    return insertScimGroup(statements, caller.scopeId, group, storedAudit(app, audit));
  });
  if (!isMade) refuseMember('of the list: one of them is no person of this provider');
  logAudit(app, requestId, audit);
  return viewScimGroup(app, await findGroup(app, caller, group.id, wantsMembers(projection)), projection);
}

/** PUT: members that are not named go. @throws those of {@link patchScimGroup} */
export async function replaceScimGroup(
  app: App,
  request: ScimRequest,
  pathId: string,
  body: ScimBody,
): Promise<ScimAnswer> {
  const resource = readResource(GROUP_KIND, body);
  assertComplete(GROUP_KIND, resource);
  const { members, ...names } = readGroup(resource);
  await changeGroup(app, request, pathId, { ...names, added: members, removed: [], isWhole: true });
  return readScimGroup(app, request, pathId);
}

/**
 * All of the operations or none.
 * @throws ApiError scimNotFound, scimVersionDiffers, scimSyntaxInvalid, scimPathInvalid, scimFilterInvalid, scimValueInvalid,
 *   scimMutability, scimNoTarget, scimTooMany, scimUniqueness, scimGroupBeyond, scimTokenInvalid
 */
export const patchScimGroup = (app: App, request: ScimRequest, pathId: string, body: ScimBody): Promise<void> =>
  changeGroup(app, request, pathId, readGroupPatch(readOperations(body)));

async function changeGroup(app: App, request: ScimRequest, pathId: string, change: ScimGroupChange): Promise<void> {
  const { caller, requestId } = request;
  const id = readGroupId(pathId);
  const version = await readVersion(app, request, id);
  const { displayName, added, removed, isWhole } = change;
  const audit: readonly AuditEntry[] = [
    scimEntry(caller, 'scim.group_updated', {
      group_id: id,
      ...(displayName !== null && { display_name: displayName }),
      added: added.length,
      removed: removed.length,
      ...(isWhole && { whole: true }),
    }),
  ];
  const concernsAll = isWhole || displayName !== null;
  const done = await withLockedPeople(
    app,
    caller,
    [...added, ...removed],
    concernsAll ? id : null,
    async (statements) => {
      await assertMayFill(statements, caller, { id, displayName, added });
      return changeScimGroup(statements, caller.scopeId, id, change, version, storedAudit(app, audit));
    },
  );
  if (done === undefined) throw notFound(id);
  if (version !== null && done.version !== version) throw apiError('scimVersionDiffers');
  if (done.valid_members !== added.length) refuseMember('of the list: one of them is no person of this provider');
  if (done.is_changed) logAudit(app, requestId, audit);
}

/** @returns the version that the preconditions want; null: any. @throws ApiError scimNotFound, scimVersionDiffers */
async function readVersion(app: App, { caller, preconditions }: ScimRequest, id: string): Promise<number | null> {
  const { ifMatch, ifNoneMatch } = preconditions;
  if (ifMatch === undefined && ifNoneMatch === undefined) return null;
  const { version } = await findGroup(app, caller, id, false);
  assertVersion(preconditions, version);
  return version;
}

/** @throws ApiError scimNotFound, scimVersionDiffers */
export async function deleteScimGroup(app: App, request: ScimRequest, pathId: string): Promise<void> {
  const { caller, requestId } = request;
  const id = readGroupId(pathId);
  const version = await readVersion(app, request, id);
  const audit = [scimEntry(caller, 'scim.group_deleted', { group_id: id })];
  const isGone = await withLockedPeople(app, caller, [], id, (statements) =>
    removeScimGroup(statements, caller.scopeId, id, version, storedAudit(app, audit)),
  );
  if (isGone === undefined) throw notFound(id);
  if (!isGone) throw apiError('scimVersionDiffers');
  logAudit(app, requestId, audit);
}
