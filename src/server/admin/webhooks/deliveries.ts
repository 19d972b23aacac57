/** Deliveries of events: what became of them, and delivering again. */
import { randomUUID } from 'node:crypto';
import { isTimestamp } from '../../../db/timestamps.js';
import { readUuid } from '../../../db/uuid.js';
import { type DeliveryRow, listDeliveries, replayDelivery, replaySince } from '../../../db/webhooks.js';
import { logAudit, storedAudit } from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { type AdminRequest, entriesOf, readWebhook } from './webhook-changes.js';
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
export async function replayOne(app: App, request: AdminRequest, id: string, deliveryId: string): Promise<void> {
  const { id: endpointId } = await readWebhook(app, id);
  const uuid = readUuid(deliveryId);
  if (uuid === null) throw apiError('webhookDeliveryNotFound');
  const audit = entriesOf(request, 'webhook_replayed', { webhook_id: endpointId, delivery_id: uuid });
  const { leaseSeconds } = app.events;
  if (!(await replayDelivery(app.db, endpointId, uuid, leaseSeconds, storedAudit(app, audit)))) {
    throw apiError('webhookDeliveryNotFound');
  }
  logAudit(app, request.id, audit);
  app.events.nudge();
}

const REPLAY_BATCH = 5000;

/**
 * What was given up since a time, and what the endpoint missed. What was delivered is not repeated.
 * @param range since, and until where the range has an end
 * @returns how many deliveries were queued
 * @throws ApiError webhookNotFound, invalidParameter
 */
export async function replayAllSince(
  app: App,
  request: AdminRequest,
  id: string,
  range: { readonly since: string; readonly until: string | null },
): Promise<number> {
  const since = readTime('since', range.since);
  const until = range.until === null ? null : readTime('until', range.until);
  if (until !== null && until <= since) throw invalidWebhook('until must be after since');
  const { id: endpointId } = await readWebhook(app, id);
  const audit = entriesOf(request, 'webhook_replayed', { webhook_id: endpointId, since, ...(until && { until }) });
  const { leaseSeconds } = app.events;
  let total = 0;
  for (let stored = storedAudit(app, audit); ; stored = []) {
    const queued = await replaySince(app.db, endpointId, since, leaseSeconds, REPLAY_BATCH, until, stored);
    total += queued;
    app.events.nudge();
    if (queued < REPLAY_BATCH) break;
  }
  logAudit(app, request.id, audit);
  return total;
}

/** RFC 3339 with a zone: a time without one would depend on the server. @throws ApiError invalidParameter */
function readTime(name: string, text: string): string {
  if (!isTimestamp(text)) {
    throw invalidWebhook(`${name} must be a time such as 2026-11-23T13:00:00Z (RFC 3339)`);
  }
  return new Date(text).toISOString();
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
