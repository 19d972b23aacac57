/** The audit log, newest first: all of it, one action, what concerns a person, or both. It never counts. */
import { type ActivityRow, readActivity, readActivityOf } from '../../db/console-lists.js';
import type { Database } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import { beginning, cursorAfter, makePlace, placeOfCreated, type Query, readLimit, readPlace } from './list-query.js';

/** An action that few entries have reads at most so many for a page. */
const MOST_SEEN = 10_000;

export interface FoundActivity {
  readonly entries: readonly ActivityRow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** As of users. */
  readonly searchedUntil: string | null;
}

/** @param limit entries of a page. @throws ApiError badPagination, badFilter */
export async function searchActivity(
  db: Database,
  query: Query,
  limit: number = readLimit(query),
): Promise<FoundActivity> {
  const place = readPlace(query) ?? beginning;
  const person = query.get('person');
  if (person && !isUuid(person)) throw apiError('badFilter', { reason: 'person must be an UUID' });
  const action = query.get('action') || null;
  // Without an action every entry is one of the page.
  const most = { seen: action === null ? limit : MOST_SEEN, found: limit };
  const { rows, last, count } = person
    ? await readActivityOf(db, person.toLowerCase(), place, most, action)
    : await readActivity(db, place, most, action);
  const nextCursor = cursorAfter(rows, limit, placeOfCreated);
  if (nextCursor !== null) return { entries: rows, nextCursor, searchedUntil: null };
  if (count < most.seen || last === null) return { entries: rows, nextCursor: null, searchedUntil: null };
  return { entries: rows, nextCursor: makePlace(last), searchedUntil: last.createdAt };
}
