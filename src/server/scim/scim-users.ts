/** People as they are read and listed (RFC 7644 3.4). */
import { findScimUser, listScimUsers, type ScimUserRow } from '../../db/scim-users.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type ListParameters, readListRequest, writeScimCursor } from './list-request.js';
import type { Preconditions } from './preconditions.js';
import type { Projection } from './project-resource.js';
import type { ScimCaller } from './scim-caller.js';
import { viewScimPage } from './scim-list.js';
import { USER_KIND } from './scim-schemas.js';
import { type ScimAnswer, viewScimUser, wantsGroups } from './scim-user.js';

/** Who asks, and how the answer is to look. */
export interface ScimRequest {
  readonly requestId: string;
  readonly caller: ScimCaller;
  readonly projection: Projection;
  readonly preconditions: Preconditions;
}

export type ScimBody = Readonly<Record<string, unknown>>;

/** @throws ApiError scimNotFound */
export async function readScimUser(app: App, { caller, projection }: ScimRequest, pathId: string): Promise<ScimAnswer> {
  return viewScimUser(app, await findPerson(app.db, caller, pathId, wantsGroups(projection)), projection);
}

/** @throws ApiError scimNotFound, also for what another scope has */
export async function findPerson(
  statements: Statements,
  { scopeId }: ScimCaller,
  pathId: string,
  withGroups: boolean,
): Promise<ScimUserRow> {
  const id = readUuid(pathId);
  const row = id === null ? undefined : await findScimUser(statements, scopeId, id, withGroups);
  if (row === undefined) throw apiError('scimNotFound', { id: pathId.slice(0, 100) });
  return row;
}

/** @throws ApiError scimFilterInvalid, scimValueInvalid, scimCursorInvalid */
export async function listUsers(app: App, caller: ScimCaller, parameter: ListParameters) {
  const { filter, projection, count, startIndex, after } = readListRequest(USER_KIND, parameter);
  const place = { after, offset: startIndex === null ? 0 : startIndex - 1, limit: count };
  const rows = await listScimUsers(app.db, caller.scopeId, filter, place, wantsGroups(projection));
  const found = rows.filter((row): row is ScimUserRow & { total: number } => row.id !== null);
  const last = found.at(-1);
  // Whether there is more only the next page tells.
  const hasNext = startIndex === null && last !== undefined && found.length === count;
  return viewScimPage({
    total: rows[0]?.total ?? 0,
    resources: found.map((row) => viewScimUser(app, row, projection).body),
    startIndex,
    nextCursor: hasNext ? writeScimCursor({ createdAt: last.created_at, id: last.id }) : null,
  });
}
