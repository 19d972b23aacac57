import { readDeliveries, replayAllSince, replayOne, testWebhook } from '../../admin/webhooks/deliveries.js';
import { readWebhook } from '../../admin/webhooks/webhook-changes.js';
import { viewDelivery } from '../../admin/webhooks/webhook-view.js';
import { consoleBody, defineConsole, reasonField, textField } from '../define-console.js';
import { deedOf, recordDeed } from '../operator-audit.js';
import { webhookRequestOf } from './webhooks.js';

const notFound = ['webhookNotFound'] as const;
const shared = { tag: 'Events' } as const;

export const postWebhookTest = defineConsole({
  ...shared,
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/test',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'testWebhook',
  summary: 'Posts an event of the type webhook.test, and says what the endpoint answered.',
  answer: { description: 'What happened.', body: { $ref: '#/components/schemas/WebhookTest' } },
  errors: notFound,
  async handler(app, request) {
    const { id } = await readWebhook(app, request.params.webhook_id);
    await recordDeed(app, deedOf(request), 'webhook_tested', { webhook_id: id });
    return { status: 200, body: await testWebhook(app, id) };
  },
});

export const getWebhookDeliveries = defineConsole({
  ...shared,
  method: 'GET',
  path: '/api/webhooks/{webhook_id}/deliveries',
  role: 'viewer',
  query: {
    state: { enum: ['pending', 'delivered', 'dead'], description: 'Default dead.' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Rows per page; default 50.' },
    cursor: textField('next_cursor of the page before.'),
  },
  id: 'listWebhookDeliveries',
  summary: 'Lists the deliveries to a webhook, newest first.',
  answer: { description: 'A page.', body: { $ref: '#/components/schemas/WebhookDeliveries' } },
  errors: [...notFound, 'invalidParameter'],
  async handler(app, { params, query }) {
    const { rows, nextCursor } = await readDeliveries(app, params.webhook_id, query);
    return { status: 200, body: { deliveries: rows.map(viewDelivery), next_cursor: nextCursor } };
  },
});

export const postWebhookDeliveryReplay = defineConsole({
  ...shared,
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  role: 'support',
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'replayWebhookDelivery',
  summary: 'Delivers an event again, from the first attempt on.',
  answer: { status: 202, description: 'Queued.' },
  errors: [...notFound, 'webhookDeliveryNotFound'],
  async handler(app, request) {
    const { webhook_id, delivery_id } = request.params;
    await replayOne(app, webhookRequestOf(deedOf(request)), webhook_id, delivery_id);
    return { status: 202 };
  },
});

export const postWebhookReplay = defineConsole({
  ...shared,
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/replay',
  role: 'support',
  body: consoleBody(
    { since: textField('RFC 3339.'), until: textField('RFC 3339; default now.'), ...reasonField },
    'since',
  ),
  id: 'replayWebhook',
  summary:
    'Delivers again what was given up in a range of time, and what the webhook missed. Repeats nothing that arrived.',
  answer: {
    status: 202,
    description: 'Queued.',
    body: { $ref: '#/components/schemas/WebhookReplay' },
  },
  errors: [...notFound, 'invalidParameter'],
  async handler(app, request) {
    const { since, until = null } = request.body;
    const replayed = await replayAllSince(app, webhookRequestOf(deedOf(request)), request.params.webhook_id, {
      since,
      until,
    });
    return { status: 202, body: { replayed } };
  },
});
