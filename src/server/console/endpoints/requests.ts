import { findRefusals, findRefusalsOfRequest } from '../../../db/refusals.js';
import { isUuid } from '../../../db/uuid.js';
import { apiError } from '../../errors.js';
import { isRecording } from '../../records/is-recording.js';
import { defineConsole, listOf, objectOf, orNull } from '../define-console.js';
import { explainRefusal, viewRefusal } from '../explain-refusal.js';
import { beginning, cursorAfter, placeOfCreated, readLimit, readPlace, readTimeFilter } from '../list-query.js';
import { listQuery } from './users.js';

/** A request id that clients choose may repeat. */
const MOST_OF_ONE_REQUEST = 10;
const text = (description: string) => ({ type: 'string', description }) as const;
const string = { type: 'string' } as const;
const listed = {
  id: string,
  created_at: string,
  request_id: text('Also the error_id of a 5xx, and the number on an error page.'),
  method: string,
  route: { ...orNull('string'), description: 'null: no endpoint.' },
  grant_type: orNull('string'),
  status: { type: 'integer', description: 'Of the answer; a redirect may tell an error, too.' },
  error_code: string,
  user_id: { ...orNull('string'), description: 'The account that the refusal is about, where the server knew it.' },
  ip: orNull('string'),
  left_out: { type: 'integer', description: 'Refusals with this error before it that were too many to be kept.' },
  message: text('Of the error; parts in angle brackets were filled in.'),
  failed: text('What did not hold.'),
} as const;
const setting = {
  type: 'object',
  properties: {
    name: string,
    doc: string,
    is_set: { type: 'boolean', description: 'It differs from its default.' },
    value: { description: 'At present. Absent when it is or may contain a secret.' },
    fingerprint: { type: 'string', description: 'HMAC of a secret that is set.' },
  },
  required: ['name', 'doc', 'is_set'],
} as const;
const outcome = {
  enum: ['passed', 'failed', 'does_not_apply', 'maybe', 'unknown', 'not_reached'],
  description: '`maybe`: passed, or not asked for. `unknown`: the fault may have come before it.',
};

export const getRequests = defineConsole({
  method: 'GET',
  path: '/api/requests',
  role: 'viewer',
  query: {
    ...listQuery,
    user: text('Only refusals about this user: an id.'),
    code: text('Only this error_code.'),
    from: text('RFC 3339.'),
    before: text('RFC 3339.'),
  },
  id: 'searchRefusals',
  tag: 'Requests',
  summary: 'Returns refused requests of the last seven days, newest first.',
  answer: {
    description: 'A page. `is_recording`: this server records refusals (AUTH_CONSOLE_RECORDS_ENABLED).',
    body: objectOf({
      refusals: listOf(objectOf(listed)),
      next_cursor: orNull('string'),
      is_recording: { type: 'boolean' },
    }),
  },
  errors: ['badPagination', 'badFilter'],
  async handler({ db, config }, { query }) {
    const limit = readLimit(query);
    const userId = query.get('user') || null;
    if (userId !== null && !isUuid(userId)) throw apiError('badFilter', { reason: 'user must be an UUID' });
    const from = readTimeFilter(query, 'from') ?? '-infinity';
    const first = { ...beginning, createdAt: readTimeFilter(query, 'before') ?? beginning.createdAt };
    const errorCode = query.get('code') || null;
    const rows = await findRefusals(db, { userId, errorCode, from }, readPlace(query) ?? first, limit);
    return {
      status: 200,
      body: {
        refusals: rows.map(viewRefusal),
        next_cursor: cursorAfter(rows, limit, placeOfCreated),
        is_recording: isRecording(config),
      },
    };
  },
});

export const getRequestById = defineConsole({
  method: 'GET',
  path: '/api/requests/{request_id}',
  role: 'viewer',
  id: 'explainRequest',
  tag: 'Requests',
  summary: 'Explains a refused request: each check, the settings behind it, and what to do.',
  description: 'The id is the request id of the log, the error_id of an answer, or the number on an error page.',
  answer: {
    description: 'Usually one refusal. Settings have their present values.',
    body: objectOf({
      refusals: listOf(
        objectOf({
          ...listed,
          advice: string,
          reason: {
            ...orNull('string'),
            description: 'Which of several causes of the error; clients do not learn it.',
          },
          limit: orNull('string'),
          checks: listOf(objectOf({ name: string, holds: string, outcome, settings: listOf(setting) })),
        }),
      ),
    }),
  },
  errors: ['refusalNotRecorded'],
  async handler(app, { params }) {
    const rows = await findRefusalsOfRequest(app.db, params.request_id, MOST_OF_ONE_REQUEST);
    if (rows.length === 0) throw apiError('refusalNotRecorded');
    return { status: 200, body: { refusals: rows.map((row) => explainRefusal(app, row)) } };
  },
});
