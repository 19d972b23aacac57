import { listMembers, searchMembers } from '../../db/organization-members.js';
import type { App } from '../runtime/app.js';
import { readFoundPage, readTimePage } from './list-cursor.js';
import { viewMember } from './view-organization.js';

/** An address has 255 characters at most, and a key of the search 200 of a name. */
const MAX_SEARCH = 255;

/**
 * Members of an organization: in the order in which they joined, or with `search` those whose address, number or name begins so.
 * @param query limit, cursor, search, role
 * @throws ApiError organizationFieldInvalid
 */
export async function readMemberPage(
  { db }: Pick<App, 'db'>,
  organizationId: string,
  query: ReadonlyMap<string, string>,
) {
  const role = query.get('role') || null;
  const prefix = (query.get('search') ?? '').trim().toLowerCase().slice(0, MAX_SEARCH);
  if (prefix !== '') {
    // A number is stored without its plus sign.
    const key = prefix.replace(/^\+(?=\d)/, '');
    const { rows, next_cursor } = await readFoundPage(
      query,
      3,
      (place, count) => searchMembers(db, organizationId, key, role, place, count),
      ({ user_id }) => user_id,
    );
    return { members: rows.map(viewMember), next_cursor };
  }
  const { rows, next_cursor } = await readTimePage(
    query,
    (place, count) => listMembers(db, organizationId, role, place, count),
    ({ joined_at, user_id }) => [joined_at, user_id],
  );
  return { members: rows.map(viewMember), next_cursor };
}
