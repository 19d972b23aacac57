import { MOST_COUNTED, readWebhookHealth, type WebhookHealth, type WebhookRow } from '../../../db/webhooks.js';
import {
  changeWebhook,
  createWebhook,
  readWebhook,
  readWebhooks,
  removeWebhook,
  rotateSecret,
} from '../../admin/webhooks/webhook-changes.js';
import { viewWebhook } from '../../admin/webhooks/webhook-view.js';
import { allFields } from '../../endpoints/shared/fields.js';
import { consoleBody, defineConsole, listOf, objectOf, orNull, reasonField } from '../define-console.js';
import type { OperatorCaller } from '../operator.js';
import { asAdministrator, deedOf, type OperatorDeed } from '../operator-audit.js';
import { done } from './user.js';

const { url, events, include, description, enabled } = allFields;
const givenFields = {
  url,
  events,
  include,
  description,
  enabled: { ...enabled, description: 'Events are posted to it.' },
};
const webhook = { $ref: '#/components/schemas/Webhook' } as const;
const withHealth = {
  type: 'object',
  allOf: [webhook],
  properties: {
    pending: { type: 'integer', description: `Deliveries that wait; ${MOST_COUNTED + 1}: more than ${MOST_COUNTED}.` },
    dead: { type: 'integer', description: 'Deliveries that were given up; counted as pending.' },
    last_error: { ...orNull('string'), description: 'Of the newest delivery that was given up.' },
    last_status: orNull('integer'),
    last_attempt_at: orNull('string'),
  },
} as const;
const notFound = ['webhookNotFound'] as const;
const shared = { tag: 'Events' } as const;

/** The request of an operator as the rules for webhooks take it. */
export const webhookRequestOf = (deed: OperatorDeed) => ({ id: deed.requestId, caller: asAdministrator(deed) });

/** A URL may hold a key of the receiver, so that only those who may change it see it whole. */
function viewFor({ role }: OperatorCaller, row: WebhookRow, health: WebhookHealth | undefined) {
  const { pending = 0, dead = 0, last_error = null, last_status = null, last_attempt_at = null } = health ?? {};
  const isWhole = role === 'admin' || role === 'owner';
  return {
    ...viewWebhook(row),
    ...(!isWhole && { url: `${new URL(row.url).origin}/…` }),
    pending,
    dead,
    last_error,
    last_status,
    last_attempt_at,
  };
}

export const getWebhooks = defineConsole({
  ...shared,
  method: 'GET',
  path: '/api/webhooks',
  role: 'viewer',
  id: 'listWebhooks',
  summary: 'Lists the webhooks and how they fare, oldest first.',
  answer: {
    description: 'All. Roles below admin see the origins of their URLs.',
    body: objectOf({ webhooks: listOf(withHealth) }),
  },
  async handler(app, { caller }) {
    const [rows, health] = await Promise.all([readWebhooks(app), readWebhookHealth(app.db, null)]);
    const healthOf = new Map(health.map((one) => [one.id, one]));
    return { status: 200, body: { webhooks: rows.map((row) => viewFor(caller, row, healthOf.get(row.id))) } };
  },
});

export const getWebhook = defineConsole({
  ...shared,
  method: 'GET',
  path: '/api/webhooks/{webhook_id}',
  role: 'viewer',
  id: 'readWebhook',
  summary: 'Returns a webhook.',
  answer: { description: 'The webhook, without its secret.', body: withHealth },
  errors: notFound,
  async handler(app, { caller, params }) {
    const row = await readWebhook(app, params.webhook_id);
    const [health] = await readWebhookHealth(app.db, row.id);
    return { status: 200, body: viewFor(caller, row, health) };
  },
});

export const postConsoleWebhook = defineConsole({
  ...shared,
  method: 'POST',
  path: '/api/webhooks',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }, 'url', 'events'),
  id: 'createWebhook',
  summary: 'Adds a webhook: events from now on are posted to it, signed.',
  answer: {
    status: 201,
    description: 'The webhook, with its secret.',
    body: { $ref: '#/components/schemas/NewWebhook' },
  },
  errors: ['invalidParameter'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const { row, secret } = await createWebhook(app, webhookRequestOf(deedOf(request)), given);
    return { status: 201, body: { ...viewWebhook(row), secret } };
  },
});

export const putWebhook = defineConsole({
  ...shared,
  method: 'PUT',
  path: '/api/webhooks/{webhook_id}',
  role: 'admin',
  stepUp: true,
  body: consoleBody({ ...givenFields, ...reasonField }),
  id: 'changeWebhook',
  summary: 'Changes a webhook; fields that are absent stay.',
  answer: { description: 'The webhook, without its secret.', body: webhook },
  errors: [...notFound, 'webhookConfigured', 'invalidParameter'],
  async handler(app, request) {
    const { reason: _reason, ...given } = request.body;
    const row = await changeWebhook(app, webhookRequestOf(deedOf(request)), request.params.webhook_id, given);
    return { status: 200, body: viewWebhook(row) };
  },
});

export const deleteWebhookById = defineConsole({
  ...shared,
  method: 'DELETE',
  path: '/api/webhooks/{webhook_id}',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'deleteWebhook',
  summary: 'Deletes a webhook and its deliveries.',
  answer: done,
  errors: [...notFound, 'webhookConfigured'],
  async handler(app, request) {
    await removeWebhook(app, webhookRequestOf(deedOf(request)), request.params.webhook_id);
    return { status: 204 };
  },
});

export const postWebhookSecret = defineConsole({
  ...shared,
  method: 'POST',
  path: '/api/webhooks/{webhook_id}/rotate-secret',
  role: 'admin',
  stepUp: true,
  body: consoleBody(reasonField),
  bodyOptional: true,
  id: 'rotateWebhookSecret',
  summary: 'Makes a new secret. The previous one signs beside it for 24 hours.',
  answer: {
    description: 'The new secret, which is not shown again.',
    body: { $ref: '#/components/schemas/NewWebhookSecret' },
  },
  errors: [...notFound, 'webhookConfigured'],
  async handler(app, request) {
    const { secret, previousExpiresAt } = await rotateSecret(
      app,
      webhookRequestOf(deedOf(request)),
      request.params.webhook_id,
    );
    return { status: 200, body: { secret, previous_expires_at: previousExpiresAt } };
  },
});
