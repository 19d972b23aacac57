/** POST /.search: people and groups of a scope as one list, people first (RFC 7644 3.4.3). */
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type ListParameters, readListRequest } from './list-request.js';
import type { ScimCaller } from './scim-caller.js';
import { listGroups } from './scim-groups.js';
import { viewScimPage } from './scim-list.js';
import { USER_KIND } from './scim-schemas.js';
import { listUsers } from './scim-users.js';

/**
 * A filter that names what one of the kinds does not have finds none of that kind. Pages are asked for by index.
 * @throws ApiError scimFilterInvalid, scimValueInvalid, scimCursorInvalid
 */
export async function searchAll(app: App, caller: ScimCaller, parameter: ListParameters) {
  if (parameter('cursor') !== undefined) throw apiError('scimCursorInvalid');
  const { startIndex, count } = readListRequest(USER_KIND, (name) => (name === 'filter' ? undefined : parameter(name)));
  const resources: object[] = [];
  const refusals: ApiError[] = [];
  let [total, from] = [0, startIndex ?? 1];
  for (const list of [listUsers, listGroups]) {
    const asked: Readonly<Record<string, number>> = { startIndex: from, count: count - resources.length };
    try {
      const { totalResults, Resources } = await list(app, caller, (name) => asked[name] ?? parameter(name));
      resources.push(...Resources);
      total += totalResults;
      from = Math.max(1, from - totalResults);
    } catch (error) {
      if (!(error instanceof ApiError) || error.entry !== 'scimFilterInvalid') throw error;
      refusals.push(error);
    }
  }
  if (refusals.length === 2) throw refusals[0]!;
  return viewScimPage({ total, resources, startIndex, nextCursor: null });
}
