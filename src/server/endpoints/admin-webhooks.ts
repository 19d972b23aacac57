import {
  changeWebhook,
  createWebhook,
  readWebhook,
  readWebhooks,
  removeWebhook,
} from '../admin/webhooks/webhook-changes.js';
import { viewWebhook } from '../admin/webhooks/webhook-view.js';
import { json } from '../http/types.js';
import { defineEndpoint } from './shared/define.js';
import { ok } from './shared/docs.js';
import { fields } from './shared/fields.js';

const list = {
  type: 'object',
  properties: { webhooks: { type: 'array', items: { $ref: '#/components/schemas/Webhook' } } },
  required: ['webhooks'],
};
const given = fields('url', 'events', 'include', 'description', 'enabled');
const many = { path: '/admin/webhooks', trailingSlash: true, caller: 'admin', tag: 'Administration' } as const;
const one = { ...many, path: '/admin/webhooks/{webhook_id}' } as const;

export const getAdminWebhooks = defineEndpoint({
  ...many,
  method: 'GET',
  id: 'adminListWebhooks',
  summary: 'Lists the webhooks that events are posted to, oldest first.',
  answers: { 200: { description: 'The webhooks, without their secrets.', body: list } },
  handler: async (app) => json({ webhooks: (await readWebhooks(app)).map(viewWebhook) }),
});

export const postAdminWebhooks = defineEndpoint({
  ...many,
  method: 'POST',
  body: given,
  id: 'adminCreateWebhook',
  summary: 'Adds a webhook: events from now on are posted to it, signed.',
  answers: { 201: ok('NewWebhook', 'The webhook, with its secret.')[200]! },
  errors: ['invalidParameter'],
  async handler(app, { id, caller, body }) {
    const { row, secret } = await createWebhook(app, { id, caller }, body);
    return json({ ...viewWebhook(row), secret }, 201);
  },
});

export const getAdminWebhook = defineEndpoint({
  ...one,
  method: 'GET',
  id: 'adminGetWebhook',
  summary: 'Returns a webhook.',
  answers: ok('Webhook', 'The webhook, without its secret.'),
  errors: ['webhookNotFound'],
  handler: async (app, { params }) => json(viewWebhook(await readWebhook(app, params.webhook_id))),
});

export const putAdminWebhook = defineEndpoint({
  ...one,
  method: 'PUT',
  body: given,
  id: 'adminUpdateWebhook',
  summary: 'Changes a webhook; fields that are absent stay.',
  answers: ok('Webhook', 'The webhook, without its secret.'),
  errors: ['webhookNotFound', 'webhookConfigured', 'invalidParameter'],
  handler: async (app, { id, caller, params, body }) =>
    json(viewWebhook(await changeWebhook(app, { id, caller }, params.webhook_id, body))),
});

export const deleteAdminWebhook = defineEndpoint({
  ...one,
  method: 'DELETE',
  id: 'adminDeleteWebhook',
  summary: 'Deletes a webhook and its deliveries.',
  answers: { 204: { description: 'Deleted.' } },
  errors: ['webhookNotFound', 'webhookConfigured'],
  async handler(app, { id, caller, params }) {
    await removeWebhook(app, { id, caller }, params.webhook_id);
    return { status: 204 };
  },
});
