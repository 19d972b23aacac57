import { readActivity, readActivityOf, readActivitySince } from '../../../db/console-lists.js';
import { apiError } from '../../errors.js';
import { isUuid } from '../../uuid.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { beginning, makePlace, readLimit, readPlace } from '../list-query.js';
import { listQuery } from './users.js';

/** An action that few entries have reads at most so many for a page. */
const MOST_SEEN = 10_000;
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
    const limit = readLimit(query);
    const place = readPlace(query) ?? beginning;
    const person = query.get('person');
    const answer = (entries: readonly object[], nextCursor: string | null, searchedUntil: string | null) => ({
      status: 200,
      body: { entries, next_cursor: nextCursor, searched_until: searchedUntil },
    });
    if (person) {
      if (!isUuid(person)) throw apiError('badFilter', { reason: 'person must be an UUID' });
      const entries = await readActivityOf(db, person.toLowerCase(), place, limit);
      const end = entries.at(-1);
      const isFull = entries.length === limit && end !== undefined;
      return answer(entries, isFull ? makePlace({ createdAt: end.created_at, id: end.id }) : null, null);
    }
    const most = { seen: MOST_SEEN, found: limit };
    const { rows, last, count } = await readActivity(db, place, most, query.get('action') || null);
    const end = rows.at(-1);
    if (rows.length === limit && end !== undefined) {
      return answer(rows, makePlace({ createdAt: end.created_at, id: end.id }), null);
    }
    if (count < MOST_SEEN || last === null) return answer(rows, null, null);
    return answer(rows, makePlace(last), last.createdAt);
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
