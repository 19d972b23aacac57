import { fetchEvents } from '../admin/webhooks/event-stream.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';

const page = {
  type: 'object',
  properties: {
    events: { type: 'array', items: { type: 'object', description: 'As it is posted to a webhook.' } },
    next_cursor: { type: 'string', description: '`after` of the next request.' },
  },
  required: ['events', 'next_cursor'],
};

export const getAdminEvents = defineEndpoint({
  method: 'GET',
  path: '/admin/events',
  trailingSlash: true,
  caller: 'admin',
  query: {
    after: text('next_cursor of the previous answer; without it the oldest events that are kept.'),
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Events per answer; default 100.' },
    wait: { type: 'integer', minimum: 0, description: 'Seconds to wait for an event if there is none; at most 30.' },
  },
  id: 'adminFetchEvents',
  tag: 'Administration',
  summary: 'Returns the events after a cursor, and waits for the next if there is none.',
  answers: { 200: { description: 'Events, oldest first.', body: page } },
  errors: ['invalidParameter'],
  handler: async (app, { query }) => json(await fetchEvents(app, query)),
});
