import { type FoundPlace, listMembers, searchMembers } from '../../db/organization-members.js';
import type { App } from '../runtime/app.js';
import { isId, pageOf, readListCursor, readListLimit, readTimeCursor } from './list-cursor.js';
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
  const limit = readListLimit(query);
  const role = query.get('role') || null;
  const prefix = (query.get('search') ?? '').trim().toLowerCase().slice(0, MAX_SEARCH);
  if (prefix !== '') {
    // A number is stored without its plus sign.
    const key = prefix.replace(/^\+(?=\d)/, '');
    const found = await searchMembers(db, organizationId, key, role, readFoundPlace(query), limit + 1);
    const { rows, next_cursor } = pageOf(found, limit, (row) => [row.part, row.key, row.user_id]);
    return { members: rows.map(viewMember), next_cursor };
  }
  const found = await listMembers(db, organizationId, role, readTimeCursor(query), limit + 1);
  const { rows, next_cursor } = pageOf(found, limit, ({ joined_at, user_id }) => [joined_at, user_id]);
  return { members: rows.map(viewMember), next_cursor };
}

function readFoundPlace(query: ReadonlyMap<string, string>): FoundPlace | null {
  const parts = readListCursor(
    query,
    ([part, key, userId, ...rest]) =>
      [1, 2, 3].includes(part as number) && typeof key === 'string' && isId(userId) && rest.length === 0,
  );
  return parts && { part: parts[0] as number, key: parts[1] as string, userId: parts[2] as string };
}
