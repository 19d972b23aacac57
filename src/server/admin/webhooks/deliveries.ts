/** Deliveries of events: what became of them, and delivering again. */
import { randomUUID } from 'node:crypto';
import { type DeliveryRow, listDeliveries, replayDelivery, replaySince } from '../../../db/webhooks.js';
import type { App } from '../../app.js';
import { apiError } from '../../errors.js';
import { readUuid } from '../../uuid.js';
import { readWebhook } from './webhook-changes.js';
import { invalidWebhook } from './webhook-fields.js';

type Query = ReadonlyMap<string, string>;

const STATES = ['pending', 'delivered', 'dead'];
const MAX_LIMIT = 1000;

/**
 * Newest first.
 * @throws ApiError webhookNotFound, invalidParameter
 */
export async function readDeliveries(
  app: App,
  id: string,
  query: Query,
): Promise<{ rows: DeliveryRow[]; nextCursor: string | null }> {
  const state = query.get('state') || 'dead';
  if (!STATES.includes(state)) throw invalidWebhook('state must be pending, delivered or dead');
  const limit = readWhole(query, 'limit') ?? 50;
  if (limit < 1 || limit > MAX_LIMIT) throw invalidWebhook(`limit must be 1 to ${MAX_LIMIT}`);
  const before = readWhole(query, 'cursor');
  const { id: endpointId } = await readWebhook(app, id);
  const found = await listDeliveries(app.db, endpointId, state, before, limit + 1);
  const rows = found.slice(0, limit);
  return { rows, nextCursor: found.length > limit ? String(rows.at(-1)!.position) : null };
}

/** @throws ApiError webhookNotFound, webhookDeliveryNotFound */
export async function replayOne(app: App, id: string, deliveryId: string): Promise<void> {
  const { id: endpointId } = await readWebhook(app, id);
  const uuid = readUuid(deliveryId);
  const isQueued = uuid !== null && (await replayDelivery(app.db, endpointId, uuid, app.events.leaseSeconds));
  if (!isQueued) throw apiError('webhookDeliveryNotFound');
  app.events.nudge();
}

const REPLAY_BATCH = 5000;

/**
 * What was given up since a time, and what the endpoint missed. What was delivered is not repeated.
 * @returns how many deliveries were queued
 * @throws ApiError webhookNotFound, invalidParameter
 */
export async function replayAllSince(app: App, id: string, query: Query): Promise<number> {
  const text = query.get('since') ?? '';
  // RFC 3339 with a zone: a time without one would depend on the server.
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  if (!isTime || Number.isNaN(Date.parse(text))) {
    throw invalidWebhook('since must be a time such as 2026-11-23T13:00:00Z (RFC 3339)');
  }
  const since = new Date(text).toISOString();
  const { id: endpointId } = await readWebhook(app, id);
  let total = 0;
  for (;;) {
    const queued = await replaySince(app.db, endpointId, since, app.events.leaseSeconds, REPLAY_BATCH);
    total += queued;
    app.events.nudge();
    if (queued < REPLAY_BATCH) return total;
  }
}

/**
 * Posts an event of the type webhook.test, once and at once, also while the endpoint is disabled.
 * @throws ApiError webhookNotFound
 */
export async function testWebhook(app: App, id: string): Promise<Record<string, unknown>> {
  const endpoint = await readWebhook(app, id);
  const event = {
    id: randomUUID(),
    type: 'webhook.test',
    user_id: null,
    data: {},
    created_at: new Date().toISOString(),
  };
  const startedAt = performance.now();
  const outcome = await app.events.send(endpoint, event);
  return {
    delivered: outcome.isDelivered,
    event_id: event.id,
    status: outcome.status,
    error: outcome.isDelivered ? null : outcome.error,
    duration_ms: Math.round(performance.now() - startedAt),
  };
}

/** @throws ApiError invalidParameter */
export function readWhole(query: Query, name: string): number | null {
  const text = query.get(name);
  if (!text) return null;
  if (!/^\d{1,15}$/.test(text)) throw invalidWebhook(`${name} must be a whole number`);
  return Number(text);
}
