/** The audit log, newest first: all of it, one action, what concerns a person or an organization, or all of these. It never counts. */
import { type ActivityRow, readActivity, readActivityOf, readActivityOfOrganization } from '../../db/console-lists.js';
import type { Database } from '../../db/types.js';
import { isUuid } from '../../db/uuid.js';
import { readOrganizationFilter } from '../admin/audit-list.js';
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
  const person = query.get('person')?.toLowerCase() || null;
  if (person !== null && !isUuid(person)) throw apiError('badFilter', { reason: 'person must be an UUID' });
  const organization = readOrganizationFilter(query.get('organization_id'));
  const action = query.get('action') || null;
  // Where an index finds all that is asked for, every entry is one of the page.
  const isFiltered = action !== null || (organization !== null && person !== null);
  const most = { seen: isFiltered ? MOST_SEEN : limit, found: limit };
  const { rows, last, count } = await (organization !== null
    ? readActivityOfOrganization(db, organization, place, most, action, person)
    : person !== null
      ? readActivityOf(db, person, place, most, action)
      : readActivity(db, place, most, action));
  const nextCursor = cursorAfter(rows, limit, placeOfCreated);
  if (nextCursor !== null) return { entries: rows, nextCursor, searchedUntil: null };
  if (count < most.seen || last === null) return { entries: rows, nextCursor: null, searchedUntil: null };
  return { entries: rows, nextCursor: makePlace(last), searchedUntil: last.createdAt };
}
