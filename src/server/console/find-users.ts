/** Looks for users: by the beginning of an address, number or id, or newest first with filters. It never counts. */
import { findUsersByContact } from '../../db/admin-users.js';
import { findUsers, findUsersByIds, findUsersByPrefix, type UserFilter } from '../../db/console-lists.js';
import type { UserRow } from '../../db/user-rows.js';
import { readUuid } from '../../db/uuid.js';
import { spellEmail, stripPhone } from '../accounts/addresses.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import {
  beginning,
  cursorAfter,
  makePlace,
  placeOfCreated,
  type Query,
  readFlag,
  readLimit,
  readPlace,
  readTimeFilter,
} from './list-query.js';

/** A filter that few match reads at most so many accounts for a page: 40 ms of a million. */
const MOST_SEEN = 10_000;
/** Looking for a part of an address reads all accounts, so that it goes on so long and then says where it was. */
const LONGEST_SEARCH_MS = 2000;
/** Shorter ones would find a sixteenth of all. */
const MIN_ID_DIGITS = 4;
/** After every character of an address or number. */
const LAST = '\u{10ffff}';

export interface FoundUsers {
  readonly users: readonly UserRow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** The accounts until then have been looked at, and the search is not over; null: the page is full, or it is over. */
  readonly searchedUntil: string | null;
}

/** @param limit users of a page. @throws ApiError badPagination, badFilter */
export async function searchUsers(
  app: Pick<App, 'config' | 'db'>,
  query: Query,
  limit: number = readLimit(query),
): Promise<FoundUsers> {
  const text = query.get('q')?.trim() ?? '';
  return text === '' ? listNewest(app, query, limit) : listByPrefix(app, query, text, limit);
}

async function listNewest(
  { config, db }: Pick<App, 'config' | 'db'>,
  query: Query,
  limit: number,
): Promise<FoundUsers> {
  const createdTo = readTimeFilter(query, 'created_before');
  const place = readPlace(query) ?? (createdTo === null ? beginning : { createdAt: createdTo, id: beginning.id });
  const filter = readFilter(query, config.jwtAudience);
  const endMs = performance.now() + (filter.contains === null ? 0 : LONGEST_SEARCH_MS);
  const users: UserRow[] = [];
  for (let from = place; ; ) {
    const most = { seen: MOST_SEEN, found: limit - users.length };
    const { rows, last, count } = await findUsers(db, filter, from, most);
    users.push(...rows);
    const nextCursor = cursorAfter(users, limit, placeOfCreated);
    if (nextCursor !== null) return { users, nextCursor, searchedUntil: null };
    if (count < MOST_SEEN || last === null) return { users, nextCursor: null, searchedUntil: null };
    if (performance.now() >= endMs) return { users, nextCursor: makePlace(last), searchedUntil: last.createdAt };
    from = last;
  }
}

const readFilter = (query: Query, audience: string): UserFilter => ({
  audience: query.get('audience') || audience,
  createdFrom: readTimeFilter(query, 'created_from'),
  provider: query.get('provider') || null,
  isConfirmed: readFlag(query, 'confirmed'),
  isBanned: readFlag(query, 'banned'),
  isAnonymous: readFlag(query, 'anonymous'),
  signedInFrom: readTimeFilter(query, 'signed_in_from'),
  signedInBefore: readTimeFilter(query, 'signed_in_before'),
  contains: spellEmail(query.get('contains') ?? '') || null,
});

async function listByPrefix(
  { config, db }: Pick<App, 'config' | 'db'>,
  query: Query,
  text: string,
  limit: number,
): Promise<FoundUsers> {
  const whole = (users: readonly UserRow[]): FoundUsers => ({ users, nextCursor: null, searchedUntil: null });
  const by = query.get('by') || guessField(text);
  // In each list one more row shows whether there is a next page.
  if (by === 'id') {
    const range = idRange(text);
    if (range === null) return whole([]);
    const afterId = readPlace(query, (value) => value === range.first)?.id ?? null;
    const found = await findUsersByIds(db, { ...range, afterId }, limit + 1);
    return pageOf(found, limit, () => range.first);
  }
  if (by !== 'email' && by !== 'phone') throw apiError('badFilter', { reason: 'by must be email, phone or id' });
  const prefix = by === 'email' ? spellEmail(text) : stripPhone(text);
  if (prefix === '') return whole([]);
  const after = readPlace(query, (value) => value.startsWith(prefix));
  const range = { from: after?.createdAt ?? prefix, to: prefix + LAST, afterId: after?.id ?? null };
  const users = await findUsersByPrefix(db, by, range, limit + 1);
  if (users.length === 0 && by === 'email' && prefix.includes('@')) {
    // Perhaps the address of an identity.
    return whole(await findUsersByContact(db, config.jwtAudience, { id: null, email: prefix, phone: null }));
  }
  return pageOf(users, limit, (end) => end[by]!);
}

/** @param rows those of the page, and one more where there is a next page. @param keyOf what the list is sorted by */
function pageOf(rows: readonly UserRow[], limit: number, keyOf: (end: UserRow) => string): FoundUsers {
  const users = rows.slice(0, limit);
  const end = users.at(-1);
  const nextCursor = rows.length <= limit ? null : makePlace({ createdAt: keyOf(end!), id: end!.id });
  return { users, nextCursor, searchedUntil: null };
}

/** What somebody who types or pastes something means. */
function guessField(text: string): 'email' | 'phone' | 'id' {
  if (readUuid(text) !== null || /^[0-9a-f]{8}-[0-9a-f-]*$/i.test(text)) return 'id';
  return /^\+?[0-9 ()-]{3,}$/.test(text) ? 'phone' : 'email';
}

/** The first and the last id that begin with these digits; null: they are no beginning of an id, or too few. */
function idRange(text: string): { readonly first: string; readonly last: string } | null {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{1,32}$/.test(digits) || digits.length < MIN_ID_DIGITS) return null;
  const first = readUuid(digits.padEnd(32, '0'))!;
  return { first, last: readUuid(digits.padEnd(32, 'f'))! };
}
