import { readDeliveries, replayAllSince, replayOne, testWebhook } from '../admin/webhooks/deliveries.js';
import { rotateSecret } from '../admin/webhooks/webhook-changes.js';
import { viewDelivery } from '../admin/webhooks/webhook-view.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { text } from './shared/docs.js';

const shared = { trailingSlash: true, caller: 'admin', tag: 'Administration' } as const;
export const postAdminWebhookTest = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/test',
  id: 'adminTestWebhook',
  summary: 'Posts an event of the type webhook.test, and says what the endpoint answered.',
  answers: { 200: { description: 'What happened.', body: { $ref: '#/components/schemas/WebhookTest' } } },
  errors: ['webhookNotFound'],
  handler: async (app, { params }) => json(await testWebhook(app, params.webhook_id)),
});

export const postAdminWebhookRotateSecret = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/rotate-secret',
  id: 'adminRotateWebhookSecret',
  summary: 'Makes a new secret. The previous one signs beside it for 24 hours.',
  answers: { 200: { description: 'The new secret.', body: { $ref: '#/components/schemas/NewWebhookSecret' } } },
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
  answers: { 200: { description: 'A page of deliveries.', body: { $ref: '#/components/schemas/WebhookDeliveries' } } },
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
  async handler(app, { id, caller, params }) {
    await replayOne(app, { id, caller }, params.webhook_id, params.delivery_id);
    return { status: 202 };
  },
});

export const postAdminWebhookReplay = defineEndpoint({
  ...shared,
  method: 'POST',
  path: '/admin/webhooks/{webhook_id}/replay',
  query: {
    since: text('A time such as 2026-11-23T13:00:00Z (RFC 3339).'),
    until: text('Only events before this time; default: all since.'),
  },
  id: 'adminReplayWebhook',
  summary: 'Delivers again what was given up since a time, and what the webhook missed. Repeats nothing that arrived.',
  answers: {
    202: { description: 'Queued.', body: { $ref: '#/components/schemas/WebhookReplay' } },
  },
  errors: ['webhookNotFound', 'invalidParameter'],
  async handler(app, { id, caller, params, query }) {
    const range = { since: query.get('since') ?? '', until: query.get('until') || null };
    return json({ replayed: await replayAllSince(app, { id, caller }, params.webhook_id, range) }, 202);
  },
});
