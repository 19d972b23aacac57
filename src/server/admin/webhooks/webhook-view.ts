import type { DeliveryRow, WebhookRow } from '../../../db/webhooks.js';

/** The answer of the API: never the secrets. */
export function viewWebhook(row: WebhookRow): Record<string, unknown> {
  return {
    id: row.id,
    source: row.name === null ? 'api' : 'configuration',
    url: row.url,
    events: row.patterns,
    include: row.include,
    description: row.description,
    enabled: row.is_enabled,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export function viewDelivery(row: DeliveryRow): Record<string, unknown> {
  const { id, state, attempts, last_attempt_at, last_status, last_error, created_at } = row;
  const event = { id: row.event_id, type: row.event_type, user_id: row.user_id };
  return { id, state, attempts, last_attempt_at, last_status, last_error, created_at, event };
}
