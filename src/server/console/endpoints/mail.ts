import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import { deedOf } from '../operator-audit.js';
import { discardWaiting, readFailed, readWaiting, retryWaiting } from '../unsent.js';
import { listQuery } from './users.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const integer = { type: 'integer' } as const;
const stage = { ...orNull('string'), description: 'Step of the SMTP session; null for texts and hooks.' };
const MAX_IDS = 200;

const channelQuery = { ...listQuery, channel: { type: 'string', description: 'mail (default) or text.' } } as const;
const idsBody = consoleBody(
  {
    ids: { type: 'array', items: text, minItems: 1, maxItems: MAX_IDS, description: 'Ids of waiting messages.' },
    ...reasonField,
  },
  'ids',
);
const changed = {
  description: 'The ids of both. Those that were skipped are being sent, or are gone.',
  body: objectOf({ done: listOf(text), skipped: listOf(text) }),
} as const;

export const getOutbox = defineConsole({
  method: 'GET',
  path: '/api/mail/outbox',
  role: 'support',
  query: channelQuery,
  id: 'listWaitingMessages',
  tag: 'Mail',
  summary: 'Lists the mails or texts that wait, oldest first, and counts them by the step at which they failed.',
  answer: {
    description: 'A page. Counted are the oldest 10,000.',
    body: objectOf({
      messages: listOf(
        objectOf({
          ...{ id: text, user_id: orNull('string'), kind: text, recipient: orNull('string'), attempts: integer },
          ...{ created_at: text, next_attempt_at: text, is_being_sent: flag },
          ...{ failed_stage: stage, failure: orNull('string') },
        }),
      ),
      next_cursor: orNull('string'),
      stages: listOf(objectOf({ stage, messages: integer, oldest_at: text })),
    }),
  },
  errors: ['badPagination', 'badFilter'],
  handler: async (app, { query }) => ({ status: 200, body: await readWaiting(app, query) }),
});

export const getOutboxFailures = defineConsole({
  method: 'GET',
  path: '/api/mail/failures',
  role: 'viewer',
  query: channelQuery,
  id: 'listFailedMessages',
  tag: 'Mail',
  summary: 'Lists the mails or texts that were given up within a week, newest first, and counts them by step.',
  answer: {
    description: 'A page. `reason`: refused, expired, or unknown: it may have arrived. Counted are the newest 10,000.',
    body: objectOf({
      messages: listOf(
        objectOf({
          ...{ id: text, user_id: orNull('string'), kind: text, recipient: orNull('string'), attempts: integer },
          ...{ reason: text, stage, failure: orNull('string'), created_at: text, failed_at: text },
        }),
      ),
      next_cursor: orNull('string'),
      stages: listOf(objectOf({ reason: text, stage, messages: integer, newest_at: text })),
    }),
  },
  errors: ['badPagination', 'badFilter'],
  handler: async (app, { query }) => ({ status: 200, body: await readFailed(app, query) }),
});

export const postOutboxRetry = defineConsole({
  method: 'POST',
  path: '/api/mail/outbox/retry',
  role: 'support',
  body: idsBody,
  id: 'retryMessages',
  tag: 'Mail',
  summary: 'Tries waiting messages at once.',
  answer: changed,
  handler: async (app, request) => ({
    status: 200,
    body: await retryWaiting(app, deedOf(request), request.body.ids),
  }),
});

export const postOutboxDiscard = defineConsole({
  method: 'POST',
  path: '/api/mail/outbox/discard',
  role: 'admin',
  body: idsBody,
  id: 'discardMessages',
  tag: 'Mail',
  summary: 'Discards waiting messages.',
  answer: changed,
  handler: async (app, request) => ({
    status: 200,
    body: await discardWaiting(app, deedOf(request), request.body.ids),
  }),
});
