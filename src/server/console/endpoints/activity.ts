import { readActivitySince } from '../../../db/console-lists.js';
import { apiError } from '../../errors.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { searchActivity } from '../find-activity.js';
import { listQuery } from './users.js';

/** Longer than a transaction that writes an audit entry takes. */
const OVERLAP_SECONDS = 3;
const text = (description: string) => ({ type: 'string', description }) as const;
const entry = objectOf({ id: { type: 'string' }, created_at: { type: 'string' }, payload: { type: 'object' } });

export const getActivity = defineConsole({
  method: 'GET',
  path: '/api/activity',
  role: 'viewer',
  query: {
    ...listQuery,
    action: text('Only this action, as login.'),
    person: text('Only what this user or operator did, and what was done to this user: an id.'),
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
  query: { since: text('created_at of the newest entry that is known.') },
  id: 'followActivity',
  tag: 'Activity',
  summary: 'Returns the entries after one, oldest first; to be asked every two seconds.',
  answer: {
    description: 'Up to 200 entries. Those of the three seconds before are there again: tell them apart by their ids.',
    body: objectOf({ entries: listOf(entry) }),
  },
  errors: ['badFilter'],
  async handler({ db }, { query }) {
    const since = query.get('since') ?? '';
    if (Number.isNaN(Date.parse(since))) throw apiError('badFilter', { reason: 'since must be a time as in RFC 3339' });
    return { status: 200, body: { entries: await readActivitySince(db, since, OVERLAP_SECONDS, 200) } };
  },
});
