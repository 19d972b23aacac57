import {
  findUsersByContact,
  type ListPlace,
  readUserPage,
  readUsersAfter,
  type UserPage,
} from '../../db/admin-users.js';
import type { UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { spellEmail, stripPhone } from '../accounts/addresses.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { readFromReplica } from '../sessions/replica-reads.js';
import { listKeyOf, makeCursor, offsetOf, type PageRequest, readCursor, readPage } from './pagination.js';

type Query = ReadonlyMap<string, string>;

const FIRST: Readonly<Record<'newest' | 'oldest', ListPlace>> = {
  newest: { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  oldest: { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
};

/**
 * GET /admin/users by page number, with `filter`, or by exact `id`, `email` and `phone`.
 * @throws ApiError badPagination, badSort, badFilter
 */
export async function listByPage(
  app: Pick<App, 'db' | 'replica'>,
  audience: string,
  query: Query,
): Promise<UserPage & { page: PageRequest }> {
  const page = readPage(query);
  const isOldestFirst = readSort(query.get('sort'));
  const offset = offsetOf(page);
  const users = await findExactly(app, audience, query, isOldestFirst);
  if (users !== null) return { users: users.slice(offset, offset + page.perPage), total: users.length, page };
  const list = { audience, limit: page.perPage, offset, isOldestFirst, filter: query.get('filter') || null };
  // The first page includes accounts that were just created.
  const found =
    offset === 0 ? await readUserPage(app.db, list) : await readFromReplica(app, (db) => readUserPage(db, list));
  return { ...found, page };
}

interface CursorPage {
  users: UserRow[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/**
 * GET /admin/users by cursor: equally fast on every page.
 * @throws ApiError as {@link listByPage}
 */
export async function listByCursor(
  app: Pick<App, 'db' | 'replica'>,
  audience: string,
  query: Query,
): Promise<CursorPage> {
  const isOldestFirst = readSort(query.get('sort'));
  const filter = query.get('filter') || null;
  const listKey = listKeyOf(isOldestFirst, filter);
  const { limit, after } = readCursor(query, listKey);
  const exact = await findExactly(app, audience, query, isOldestFirst);
  if (exact !== null) return { users: exact, nextCursor: null };
  const list = {
    audience,
    // One more row shows whether there is a next page.
    limit: limit + 1,
    after: after ?? FIRST[isOldestFirst ? 'oldest' : 'newest'],
    isOldestFirst,
    filter,
  };
  const users =
    after === null || after === undefined
      ? await readUsersAfter(app.db, list)
      : await readFromReplica(app, (db) => readUsersAfter(db, list));
  if (users.length <= limit) return { users, nextCursor: null };
  users.pop();
  return { users, nextCursor: makeCursor(users.at(-1)!, listKey) };
}

/** @returns whether the oldest come first. @throws ApiError badSort */
function readSort(text: string | undefined): boolean {
  if (!text) return false;
  const [field = '', direction = 'desc', ...rest] = text.trim().split(/\s+/);
  const shown = text.slice(0, 100);
  if (field !== 'created_at') throw apiError('badSort', { reason: `bad field for sort '${shown}'` });
  if (!/^(asc|desc)$/i.test(direction) || rest.length > 0) {
    throw apiError('badSort', { reason: `bad direction for sort '${shown}', only 'asc' and 'desc' allowed` });
  }
  return direction.toLowerCase() === 'asc';
}

/** @returns null when the query names no id, email or phone. @throws ApiError badFilter */
async function findExactly(
  app: Pick<App, 'db'>,
  audience: string,
  query: Query,
  isOldestFirst: boolean,
): Promise<UserRow[] | null> {
  const exact = readExactFilter(query);
  if (exact === null) return null;
  const found = await findUsersByContact(app.db, audience, exact);
  const filter = query.get('filter');
  return (isOldestFirst ? found.reverse() : found).filter((user) => !filter || matchesFilter(user, filter));
}

/** @returns null when none of the three is given. @throws ApiError badFilter */
function readExactFilter(query: Query): { id: string | null; email: string | null; phone: string | null } | null {
  const [id, email, phone] = [query.get('id'), query.get('email'), query.get('phone')];
  if (!id && !email && !phone) return null;
  const uuid = id ? readUuid(id) : null;
  if (id && uuid === null) throw apiError('badFilter', { reason: 'id must be an UUID' });
  return { id: uuid, email: email ? spellEmail(email) : null, phone: phone ? stripPhone(phone) : null };
}

/** As the condition in admin-users.sql, for the results of exact filters. */
function matchesFilter(user: UserRow, filter: string): boolean {
  const name = user.user_metadata['full_name'];
  return (
    (user.email?.includes(filter) ?? false) ||
    (typeof name === 'string' && name.toLowerCase().includes(filter.toLowerCase()))
  );
}
