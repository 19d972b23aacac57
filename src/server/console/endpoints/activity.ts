import { readActivitySince } from '../../../db/console-lists.js';
import type { TimePlace } from '../../../db/types.js';
import { apiError } from '../../errors.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { searchActivity } from '../find-activity.js';
import {
  beginning,
  cursorAfter,
  placeOfCreated,
  type Query,
  readFlag,
  readPlace,
  readTimeFilter,
} from '../list-query.js';
import { listQuery } from './users.js';

/** Longer than a transaction that writes an audit entry takes. */
const OVERLAP_SECONDS = 3;
/** In one answer of the tail. */
const MOST_ENTRIES = 200;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const HIGHEST_ID = beginning.id;
const text = (description: string) => ({ type: 'string', description }) as const;
const entry = objectOf({
  id: { type: 'string' },
  created_at: { type: 'string' },
  payload: { type: 'object' },
  ip_address: { type: 'string' },
});

export const getActivity = defineConsole({
  method: 'GET',
  path: '/api/activity',
  role: 'viewer',
  query: {
    ...listQuery,
    action: text('Only this action, as login.'),
    person: text('Only what this user or operator did, and what was done to this user: an id.'),
    organization_id: text('Only what concerns this organization.'),
  },
  id: 'readActivity',
  tag: 'Activity',
  summary: 'Returns the audit log, newest first.',
  answer: {
    description: 'A page. `searched_until`: the search ended there for now, and next_cursor goes on.',
    body: objectOf({ entries: listOf(entry), next_cursor: orNull('string'), searched_until: orNull('string') }),
  },
  errors: ['badPagination', 'badFilter'],
  async handler({ db }, { query }) {
    const { entries, nextCursor, searchedUntil } = await searchActivity(db, query);
    return { status: 200, body: { entries, next_cursor: nextCursor, searched_until: searchedUntil } };
  },
});

export const getActivityTail = defineConsole({
  method: 'GET',
  path: '/api/activity/tail',
  role: 'viewer',
  query: {
    since: text('created_at of the newest entry that is known.'),
    exact: text('true: without the three seconds before, for a reader that cannot keep up.'),
    cursor: text('next_cursor of the answer before: the entries after it.'),
  },
  id: 'followActivity',
  tag: 'Activity',
  summary: 'Returns the entries after one, oldest first; to be asked every two seconds.',
  answer: {
    description:
      'Up to 200 entries. Those of the three seconds before `since` are there again: tell them apart by their ids. ' +
      '`next_cursor`: there may be more, to be asked for at once.',
    body: objectOf({ entries: listOf(entry), next_cursor: orNull('string') }),
  },
  errors: ['badPagination', 'badFilter'],
  async handler({ db }, { query }) {
    const place = readPlace(query);
    const [from, overlapSeconds] = place === null ? readStart(query) : ([place, 0] as const);
    const entries = await readActivitySince(db, from, overlapSeconds, MOST_ENTRIES);
    return { status: 200, body: { entries, next_cursor: cursorAfter(entries, MOST_ENTRIES, placeOfCreated) } };
  },
});

/** @throws ApiError badFilter */
function readStart(query: Query): readonly [from: TimePlace, overlapSeconds: number] {
  const createdAt = readTimeFilter(query, 'since');
  if (createdAt === null) throw apiError('badFilter', { reason: 'since must be a time as in RFC 3339' });
  return readFlag(query, 'exact')
    ? [{ createdAt, id: HIGHEST_ID }, 0]
    : [{ createdAt, id: LOWEST_ID }, OVERLAP_SECONDS];
}
