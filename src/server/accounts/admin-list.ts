import { findUsersExactly, type ListPlace, listUsers, listUsersAfter, type UserPage } from '../../db/admin-users.js';
import type { UserRow } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { lowerAscii, stripPhone } from './addresses.js';
import { makeCursor, offsetOf, type PageRequest, readCursor, readPage } from './pagination.js';
import { readMayLag } from './replica-reads.js';
import { readUuid } from './uuid.js';

type Query = ReadonlyMap<string, string>;

const FIRST: Readonly<Record<'newest' | 'oldest', ListPlace>> = {
  newest: { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  oldest: { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
};

/**
 * GET /admin/users by number of the page (operations.md 1.3), with `filter`, or by exact `id`, `email` and `phone`.
 * @throws Refusal badPagination, badSort, badFilter
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
  // The first page shows who has just been made.
  const found = offset === 0 ? await listUsers(app.db, list) : await readMayLag(app, (db) => listUsers(db, list));
  return { ...found, page };
}

export interface CursorPage {
  users: UserRow[];
  /** Null: there are no more. */
  nextCursor: string | null;
}

/** GET /admin/users by cursor: as quick a million rows deep as at the beginning. @throws Refusal as {@link listByPage} */
export async function listByCursor(
  app: Pick<App, 'db' | 'replica'>,
  audience: string,
  query: Query,
): Promise<CursorPage> {
  const { limit, after } = readCursor(query);
  const isOldestFirst = readSort(query.get('sort'));
  const exact = await findExactly(app, audience, query, isOldestFirst);
  if (exact !== null) return { users: exact, nextCursor: null };
  const list = {
    audience,
    // One more than asked for tells whether there are more.
    limit: limit + 1,
    after: after ?? FIRST[isOldestFirst ? 'oldest' : 'newest'],
    isOldestFirst,
    filter: query.get('filter') || null,
  };
  const users =
    after === null || after === undefined
      ? await listUsersAfter(app.db, list)
      : await readMayLag(app, (db) => listUsersAfter(db, list));
  if (users.length <= limit) return { users, nextCursor: null };
  users.pop();
  return { users, nextCursor: makeCursor(users.at(-1)!) };
}

/** @returns whether the oldest come first. @throws Refusal badSort */
function readSort(text: string | undefined): boolean {
  if (!text) return false;
  const [field = '', direction = 'desc', ...rest] = text.trim().split(/\s+/);
  const shown = text.slice(0, 100);
  if (field !== 'created_at') throw refuse('badSort', { reason: `bad field for sort '${shown}'` });
  if (!/^(asc|desc)$/i.test(direction) || rest.length > 0) {
    throw refuse('badSort', { reason: `bad direction for sort '${shown}', only 'asc' and 'desc' allowed` });
  }
  return direction.toLowerCase() === 'asc';
}

/** @returns null when the query names no id, email or phone. @throws Refusal badFilter */
async function findExactly(
  app: Pick<App, 'db'>,
  audience: string,
  query: Query,
  isOldestFirst: boolean,
): Promise<UserRow[] | null> {
  const exact = readExact(query);
  if (exact === null) return null;
  const found = await findUsersExactly(app.db, audience, exact);
  const filter = query.get('filter');
  return (isOldestFirst ? found.reverse() : found).filter((user) => !filter || holds(user, filter));
}

/** @returns null when none of the three is given. @throws Refusal badFilter */
function readExact(query: Query): { id: string | null; email: string | null; phone: string | null } | null {
  const [id, email, phone] = [query.get('id'), query.get('email'), query.get('phone')];
  if (!id && !email && !phone) return null;
  const uuid = id ? readUuid(id) : null;
  if (id && uuid === null) throw refuse('badFilter', { reason: 'id must be an UUID' });
  return { id: uuid, email: email ? lowerAscii(email) : null, phone: phone ? stripPhone(phone) : null };
}

/** The same as the statement says, for the one or two accounts that an exact filter has found. */
function holds(user: UserRow, filter: string): boolean {
  const name = user.user_metadata['full_name'];
  return (
    (user.email?.includes(filter) ?? false) ||
    (typeof name === 'string' && name.toLowerCase().includes(filter.toLowerCase()))
  );
}
