/** The endpoints of webhooks, in the order of the documentation. */
import {
  getAdminWebhookDeliveries,
  postAdminWebhookDeliveryReplay,
  postAdminWebhookReplay,
  postAdminWebhookRotateSecret,
  postAdminWebhookTest,
} from './admin-webhook-deliveries.js';
import {
  deleteAdminWebhook,
  getAdminWebhook,
  getAdminWebhooks,
  postAdminWebhooks,
  putAdminWebhook,
} from './admin-webhooks.js';
import type { Endpoint } from './shared/define.js';

export const webhookEndpoints: readonly Endpoint[] = [
  getAdminWebhooks,
  postAdminWebhooks,
  getAdminWebhook,
  putAdminWebhook,
  deleteAdminWebhook,
  postAdminWebhookTest,
  postAdminWebhookRotateSecret,
  getAdminWebhookDeliveries,
  postAdminWebhookDeliveryReplay,
  postAdminWebhookReplay,
];
