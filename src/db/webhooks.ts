/** The statements of sql/queries/webhooks.sql. */
import type { Statements } from './types.js';

export interface WebhookRow {
  readonly id: string;
  /** Null: it is managed by the admin API, not by the configuration. */
  readonly name: string | null;
  readonly url: string;
  readonly patterns: readonly string[];
  readonly include: readonly string[];
  readonly description: string;
  readonly sealed_secrets: string | null;
  readonly is_enabled: boolean;
  readonly disabled_reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** @param id null for all */
export function listWebhooks(db: Statements, id: string | null): Promise<WebhookRow[]> {
  return db.run<WebhookRow>('webhooks.list', [id]);
}

export type NewWebhook = Pick<
  WebhookRow,
  'id' | 'url' | 'patterns' | 'include' | 'description' | 'sealed_secrets' | 'is_enabled'
>;

type Audit = readonly object[];

export async function insertWebhook(db: Statements, webhook: NewWebhook, audit: Audit): Promise<WebhookRow> {
  const { id, url, patterns, include, description, sealed_secrets, is_enabled } = webhook;
  const values = [id, url, patterns, include, description, sealed_secrets, is_enabled, JSON.stringify(audit)];
  return (await db.run<WebhookRow>('webhooks.create', values))[0]!;
}

/** What is absent stays. */
export type WebhookChanges = { readonly [Name in keyof Omit<NewWebhook, 'id' | 'sealed_secrets'>]?: NewWebhook[Name] };

/** @returns undefined when it does not exist, or belongs to the configuration */
export async function updateWebhook(
  db: Statements,
  id: string,
  changes: WebhookChanges,
  audit: Audit,
): Promise<WebhookRow | undefined> {
  const { url = null, patterns = null, include = null, description = null, is_enabled = null } = changes;
  const values = [id, url, patterns, include, description, is_enabled, JSON.stringify(audit)];
  return (await db.run<WebhookRow>('webhooks.change', values))[0];
}

/** @returns false when its secrets are no longer `read` */
export async function replaceSecrets(
  db: Statements,
  id: string,
  read: string,
  sealed: string,
  audit: Audit,
): Promise<boolean> {
  return (await db.run('webhooks.rotate_secret', [id, read, sealed, JSON.stringify(audit)])).length > 0;
}

/** @returns false when it does not exist, or belongs to the configuration */
export async function deleteWebhook(db: Statements, id: string, audit: Audit): Promise<boolean> {
  return (await db.run('webhooks.delete', [id, JSON.stringify(audit)])).length > 0;
}

export interface DeliveryRow {
  readonly id: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly last_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly position: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly user_id: string | null;
}

/** Newest first. @param before position of the last row of the page before, or null */
export function listDeliveries(
  db: Statements,
  endpointId: string,
  state: string,
  before: number | null,
  limit: number,
): Promise<DeliveryRow[]> {
  return db.run<DeliveryRow>('webhooks.deliveries', [endpointId, state, before, limit]);
}

/** @returns false when there is no such delivery */
export async function replayDelivery(
  db: Statements,
  endpointId: string,
  deliveryId: string,
  leaseSeconds: number,
  audit: Audit = [],
): Promise<boolean> {
  return (await db.run('webhooks.replay', [endpointId, deliveryId, leaseSeconds, JSON.stringify(audit)])).length > 0;
}

/** @param until null: until now. @returns how many were queued; under `limit`: all */
export async function replaySince(
  db: Statements,
  endpointId: string,
  since: string,
  leaseSeconds: number,
  limit: number,
  until: string | null = null,
  audit: Audit = [],
): Promise<number> {
  const values = [endpointId, since, leaseSeconds, limit, until, JSON.stringify(audit)];
  const [row] = await db.run<{ replayed: number }>('webhooks.replay_since', values);
  return row!.replayed;
}

/** How an endpoint fares. Counts end at {@link MOST_COUNTED}. */
export interface WebhookHealth {
  readonly id: string;
  readonly pending: number;
  readonly dead: number;
  /** Of the newest delivery that was given up. */
  readonly last_error: string | null;
  readonly last_status: number | null;
  readonly last_attempt_at: string | null;
}

/** One more than this: there are more. */
export const MOST_COUNTED = 1000;

/** @param id null for all */
export const readWebhookHealth = (db: Statements, id: string | null): Promise<WebhookHealth[]> =>
  db.run<WebhookHealth>('webhooks.health', [id, MOST_COUNTED + 1]);
