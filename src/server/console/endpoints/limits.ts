import { namedRules } from '../../guards/counter-rules.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField, textField } from '../define-console.js';
import { findCountersOf, forgiveLimit, listHeldBack } from '../held-back.js';
import { deedOf } from '../operator-audit.js';
import { listQuery } from './users.js';

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

export const getLimits = defineConsole({
  method: 'GET',
  path: '/api/limits',
  role: 'viewer',
  query: { ...listQuery, name: { type: 'string', description: 'Only this limit, as client.token.' } },
  id: 'listHeldBack',
  tag: 'Limits',
  summary: 'Lists whom limits and delays hold back, and until when.',
  answer: {
    description:
      'A page, which may be empty before the end. `key` is the address of a client, an id of a user, or a hash.',
    body: objectOf({
      limits: listOf(
        objectOf({
          name: text,
          counts: { type: 'string', description: 'client, recipient, everyone, address or account.' },
          setting: orNull('string'),
          rule: { type: 'object', description: 'kind, and for bucket and window how many and how fast.' },
        }),
      ),
      held: listOf(objectOf({ name: text, key: text, count: number, wait_seconds: number, until: text })),
      next_cursor: orNull('string'),
    }),
  },
  errors: ['badPagination', 'badFilter'],
  async handler(app, { query }) {
    const { held, nextCursor } = await listHeldBack(app, query);
    const rows = held.map(({ name, key, level, wait_seconds, until }) => ({
      ...{ name, key, count: level, wait_seconds, until },
    }));
    const limits = namedRules(app.config);
    return { status: 200, body: { limits, held: rows, next_cursor: nextCursor } };
  },
});

export const postLimitsOf = defineConsole({
  method: 'POST',
  path: '/api/limits/of',
  role: 'support',
  body: consoleBody(
    { who: textField('Address, number or id of a user, name of an operator, or address of a client.') },
    'who',
  ),
  id: 'readLimitsOf',
  tag: 'Limits',
  summary: 'Returns what is counted for a person or a client.',
  answer: {
    description: 'The counters that are not empty. `until`: held back until then; null: the next request is granted.',
    body: objectOf({
      user_id: orNull('string'),
      counters: listOf(
        objectOf({
          ...{ name: text, key: text, count: number, wait_seconds: number, until: orNull('string') },
          was_refused: { type: 'boolean' },
        }),
      ),
    }),
  },
  async handler(app, { body }) {
    const { userId, counters } = await findCountersOf(app, body.who);
    const rows = counters.map(({ level, ...row }) => ({ ...row, count: level }));
    return { status: 200, body: { user_id: userId, counters: rows } };
  },
});

export const postLimitForgive = defineConsole({
  method: 'POST',
  path: '/api/limits/forgive',
  role: 'support',
  body: consoleBody(
    { name: textField('Of the limit.'), key: textField('As it was listed.'), ...reasonField },
    'name',
    'key',
  ),
  id: 'forgiveLimit',
  tag: 'Limits',
  summary: 'Forgets what a limit has counted. Every process follows within five seconds.',
  answer: { status: 204, description: 'The next request is the first one.' },
  errors: ['limitNotFound'],
  async handler(app, request) {
    const { name, key } = request.body;
    await forgiveLimit(app, deedOf(request), { name, key });
    return { status: 204 };
  },
});
