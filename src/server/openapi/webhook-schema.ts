/** Schemas of endpoints of events and their deliveries (built in admin/webhooks/webhook-view.ts). */
import type { JsonSchema } from './contract.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const optional = (description: string): JsonSchema => ({ type: ['string', 'null'], description });
const time = (description: string): JsonSchema => ({ type: 'string', format: 'date-time', description });
const texts = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description });
const all = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const webhookMembers = {
  id: { type: 'string', format: 'uuid', description: 'Id of the webhook.' },
  source: {
    enum: ['api', 'configuration'],
    description: 'configuration: AUTH_WEBHOOKS_URL; it cannot be changed here.',
  },
  url: text('Where events are posted.'),
  events: texts('Types of events, families such as user.*, or *.'),
  include: texts('What is added to the data of events: user.'),
  description: text('Note for people.'),
  enabled: { type: 'boolean', description: 'Events are posted to it.' },
  disabled_reason: optional('Why it was disabled: it answered 410.'),
  created_at: time('When it was added.'),
  updated_at: time('When it was last changed.'),
};

const webhook = all(webhookMembers);

const newWebhook = all({
  ...webhookMembers,
  secret: text('Signs what is posted (Standard Webhooks). It is shown only once.'),
});

const webhookDelivery = all({
  id: { type: 'string', format: 'uuid', description: 'Id of the delivery.' },
  state: { enum: ['pending', 'delivered', 'dead'], description: 'dead: given up after the last attempt.' },
  attempts: { type: 'integer', description: 'Attempts until now.' },
  last_attempt_at: { type: ['string', 'null'], format: 'date-time', description: 'Time of the last attempt.' },
  last_status: { type: ['integer', 'null'], description: 'Status of the last answer.' },
  last_error: optional('Why the last attempt failed.'),
  created_at: time('When it was queued.'),
  event: all({
    id: { type: 'string', format: 'uuid', description: 'Id of the event; webhook-id of each attempt.' },
    type: text('Type of the event.'),
    user_id: { type: ['string', 'null'], format: 'uuid', description: 'The account.' },
  }),
});

const webhookTest = all({
  delivered: { type: 'boolean', description: 'The endpoint answered with a status of 2xx.' },
  event_id: { type: 'string', format: 'uuid', description: 'The webhook-id that was sent.' },
  status: { type: ['integer', 'null'], description: 'Status of the answer.' },
  error: { type: ['string', 'null'], description: 'Why it was not delivered.' },
  duration_ms: { type: 'integer', description: 'Time in milliseconds.' },
});
const webhookDeliveries = all({
  deliveries: { type: 'array', items: { $ref: '#/components/schemas/WebhookDelivery' } },
  next_cursor: { type: ['string', 'null'], description: 'For the next page; null: there is none.' },
});
const newWebhookSecret = all({
  secret: { type: 'string', description: 'The new secret. It is shown only once.' },
  previous_expires_at: { type: 'string', format: 'date-time', description: 'Until then both secrets sign.' },
});

const webhookReplay = all({
  replayed: { type: 'integer', description: 'Number of deliveries.' },
});

export const webhookSchemas = {
  Webhook: webhook,
  NewWebhook: newWebhook,
  WebhookDelivery: webhookDelivery,
  WebhookDeliveries: webhookDeliveries,
  WebhookTest: webhookTest,
  WebhookReplay: webhookReplay,
  NewWebhookSecret: newWebhookSecret,
} as const;
