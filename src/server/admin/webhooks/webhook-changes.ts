/** Endpoints of events that administrators manage. */
import { randomUUID } from 'node:crypto';
import { readUuid } from '../../../db/uuid.js';
import {
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  replaceSecrets,
  updateWebhook,
  type WebhookRow,
} from '../../../db/webhooks.js';
import {
  type Administrator,
  adminActor,
  auditEntry,
  describeFields,
  logAudit,
  storedAudit,
} from '../../accounts/audit.js';
import { apiError } from '../../errors.js';
import type { App } from '../../runtime/app.js';
import { type GivenWebhook, invalidWebhook, readWebhookFields } from './webhook-fields.js';
import { viewWebhook } from './webhook-view.js';

/** Who asks, for the audit log. */
export interface AdminRequest {
  readonly id: string;
  readonly caller: Administrator;
}

/** Oldest first. */
export const readWebhooks = (app: Pick<App, 'db'>): Promise<WebhookRow[]> => listWebhooks(app.db, null);

/**
 * The row of a path parameter.
 * @throws ApiError webhookNotFound
 */
export async function readWebhook(app: Pick<App, 'db'>, id: string): Promise<WebhookRow> {
  const uuid = readUuid(id);
  const [row] = uuid === null ? [] : await listWebhooks(app.db, uuid);
  if (row === undefined) throw apiError('webhookNotFound');
  return row;
}

/**
 * @returns the row, and the secret that nothing shows again
 * @throws ApiError invalidParameter
 */
export async function createWebhook(
  app: App,
  request: AdminRequest,
  given: GivenWebhook,
): Promise<{ row: WebhookRow; secret: string }> {
  if (given.url === undefined) throw invalidWebhook('url is required');
  if (given.events === undefined) throw invalidWebhook('events is required');
  const fields = readWebhookFields(app, given);
  const id = randomUUID();
  const { secret, sealed } = app.events.sealer().make(id);
  const audit = entriesOf(request, 'webhook_created', { webhook_id: id, url: given.url, events: given.events });
  const defaults = { include: [], description: '', is_enabled: true, patterns: given.events, url: given.url };
  const webhook = { ...defaults, ...fields, id, sealed_secrets: sealed };
  const row = await app.events.changeEndpoints((statements) =>
    insertWebhook(statements, webhook, storedAudit(app, audit)),
  );
  logAudit(app, request.id, audit);
  return { row, secret };
}

/**
 * What is absent stays. Enabling also forgets an answer of 410.
 * @throws ApiError webhookNotFound, webhookConfigured, invalidParameter
 */
export async function changeWebhook(
  app: App,
  request: AdminRequest,
  id: string,
  given: GivenWebhook,
): Promise<WebhookRow> {
  const former = await readManaged(app, id);
  const uuid = former.id;
  const fields = readWebhookFields(app, given);
  const changed = Object.keys(given);
  const told = describeFields(request.caller, viewWebhook(former), given);
  const audit = entriesOf(request, 'webhook_updated', { webhook_id: uuid, changed, ...told });
  const row = await app.events.changeEndpoints((statements) =>
    updateWebhook(statements, uuid, fields, storedAudit(app, audit)),
  );
  if (row === undefined) throw apiError('webhookNotFound');
  logAudit(app, request.id, audit);
  return row;
}

/**
 * With its deliveries.
 * @throws ApiError webhookNotFound, webhookConfigured
 */
export async function removeWebhook(app: App, request: AdminRequest, id: string): Promise<void> {
  const { id: uuid, url } = await readManaged(app, id);
  const audit = entriesOf(request, 'webhook_deleted', { webhook_id: uuid, url });
  const isDeleted = await app.events.changeEndpoints((statements) =>
    deleteWebhook(statements, uuid, storedAudit(app, audit)),
  );
  if (!isDeleted) throw apiError('webhookNotFound');
  logAudit(app, request.id, audit);
}

const ROTATE_TRIES = 4;

/**
 * A new secret. Deliveries are signed with it and with the previous one until that expires.
 * @throws ApiError webhookNotFound, webhookConfigured
 */
export async function rotateSecret(
  app: App,
  request: AdminRequest,
  id: string,
): Promise<{ secret: string; previousExpiresAt: string }> {
  for (let tries = 1; tries <= ROTATE_TRIES; tries++) {
    const { id: uuid, sealed_secrets: sealed } = await readManaged(app, id);
    const told = describeFields(request.caller, { secret: '…' }, { secret: 'changed' });
    const audit = entriesOf(request, 'webhook_updated', { webhook_id: uuid, changed: ['secret'], ...told });
    const next = app.events.sealer().rotate(uuid, sealed!);
    // Otherwise the secret that a concurrent request returned would be lost.
    if (!(await replaceSecrets(app.db, uuid, sealed!, next.sealed, storedAudit(app, audit)))) continue;
    logAudit(app, request.id, audit);
    return next;
  }
  throw apiError('unexpectedFailure', {}, { cause: new Error('the secret kept changing') });
}

async function readManaged(app: App, id: string): Promise<WebhookRow> {
  const row = await readWebhook(app, id);
  if (row.name !== null) throw apiError('webhookConfigured');
  return row;
}

export const entriesOf = (
  { caller }: AdminRequest,
  action: `webhook_${'created' | 'updated' | 'deleted' | 'replayed'}`,
  traits: Readonly<Record<string, unknown>>,
) => [auditEntry(adminActor(caller), action, traits)];
