import { readDeliveries, replayAllSince, replayOne, testWebhook } from '../admin/webhooks/deliveries.js';
import { rotateSecret } from '../admin/webhooks/webhook-changes.js';
import { viewDelivery } from '../admin/webhooks/webhook-view.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';

const shared = { trailingSlash: true, caller: 'admin', tag: 'Administration' } as const;
const all = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const outcome = all({
  delivered: { type: 'boolean', description: 'The endpoint answered with a status of 2xx.' },
  event_id: { type: 'string', format: 'uuid', description: 'The webhook-id that was sent.' },
  status: { type: ['integer', 'null'], description: 'Status of the answer.' },
  error: { type: ['string', 'null'], description: 'Why it was not delivered.' },
  duration_ms: { type: 'integer', description: 'Time in milliseconds.' },
});
const deliveries = all({
  deliveries: { type: 'array', items: { $ref: '#/components/schemas/WebhookDelivery' } },
  next_cursor: { type: ['string', 'null'], description: 'For the next page; null: there is none.' },
});
const rotated = all({
  secret: { type: 'string', description: 'The new secret. It is shown only once.' },
  previous_expires_at: { type: 'string', format: 'date-time', description: 'Until then both secrets sign.' },
});

export const postAdminWebhookTest = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/test',
  id: 'adminTestWebhook',
  summary: 'Posts an event of the type webhook.test, and says what the endpoint answered.',
  answers: { 200: { description: 'What happened.', body: outcome } },
  errors: ['webhookNotFound'],
  handler: async (app, { params }) => json(await testWebhook(app, params.webhook_id)),
});

export const postAdminWebhookRotateSecret = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/rotate-secret',
  id: 'adminRotateWebhookSecret',
  summary: 'Makes a new secret. The previous one signs beside it for 24 hours.',
  answers: { 200: { description: 'The new secret.', body: rotated } },
  errors: ['webhookNotFound', 'webhookConfigured'],
  async handler(app, { id, caller, params }) {
    const { secret, previousExpiresAt } = await rotateSecret(app, { id, caller }, params.webhook_id);
    return json({ secret, previous_expires_at: previousExpiresAt });
  },
});

export const getAdminWebhookDeliveries = defineEndpoint({
  ...shared,
  method: 'GET',
  path: '/admin/webhooks/{webhook_id}/deliveries',
  query: {
    state: { enum: ['pending', 'delivered', 'dead'], description: 'Default dead.' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Rows per page; default 50.' },
    cursor: text('next_cursor of the previous page.'),
  },
  id: 'adminListWebhookDeliveries',
  summary: 'Lists the deliveries to a webhook, newest first.',
  answers: { 200: { description: 'A page of deliveries.', body: deliveries } },
  errors: ['webhookNotFound', 'invalidParameter'],
  async handler(app, { params, query }) {
    const { rows, nextCursor } = await readDeliveries(app, params.webhook_id, query);
    return json({ deliveries: rows.map(viewDelivery), next_cursor: nextCursor });
  },
});

export const postAdminWebhookDeliveryReplay = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  id: 'adminReplayWebhookDelivery',
  summary: 'Delivers an event again, from the first attempt on.',
  answers: { 202: { description: 'Queued.' } },
  errors: ['webhookNotFound', 'webhookDeliveryNotFound'],
  async handler(app, { params }) {
    await replayOne(app, params.webhook_id, params.delivery_id);
    return { status: 202 };
  },
});

export const postAdminWebhookReplay = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/replay',
  query: { since: text('A time such as 2026-11-23T13:00:00Z (RFC 3339).') },
  id: 'adminReplayWebhook',
  summary: 'Delivers again what was given up since a time, and what the webhook missed. Repeats nothing that arrived.',
  answers: {
    202: { description: 'Queued.', body: all({ replayed: { type: 'integer', description: 'Number of deliveries.' } }) },
  },
  errors: ['webhookNotFound', 'invalidParameter'],
  handler: async (app, { params, query }) =>
    json({ replayed: await replayAllSince(app, params.webhook_id, query) }, 202),
});
