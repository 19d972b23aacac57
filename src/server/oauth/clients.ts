/** Clients: what administrators and registration do with them. */
import {
  type ClientChanges,
  type ClientRegistration,
  findClient,
  insertClient,
  listClients,
  listClientsAfter,
  type OauthClientRow,
  removeClient,
  replaceClientSecret,
  updateClient,
} from '../../db/oauth-clients.js';
import type { TimePlace } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { type Actor, type AuditAction, auditEntry, describeFields, logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type GivenAdminFields, readAdminFields, usualAdminFields } from './client-admin-fields.js';
import {
  assertGrantsFit,
  type GivenClient,
  readChangedFields,
  readChangedMethod,
  readNewClient,
} from './client-fields.js';
import { makeClientSecret } from './client-secret.js';
import { assertSameSector, assertSector } from './client-sector.js';

/** What the proof of a sector depends on. */
const SECTOR_COLUMNS = ['redirect_uris', 'grant_types', 'sector_identifier_uri'] as const;

/** Who asks, for the audit log. */
export interface ClientAuthor {
  readonly requestId: string;
  readonly actor: Actor;
}

/** A client and its secret, which nothing shows again. */
export interface ClientWithSecret {
  readonly client: OauthClientRow;
  /** Undefined for public clients. */
  readonly secret: string | undefined;
  /** Of a client that registers itself (RFC 7592 3). */
  readonly registrationToken?: string | undefined;
}

/**
 * Registers a client (RFC 7591 3).
 * @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid
 */
export async function registerClient(
  app: App,
  author: ClientAuthor,
  given: GivenClient & GivenAdminFields,
  registration: ClientRegistration,
): Promise<ClientWithSecret> {
  const fields = readNewClient(app, given);
  const made = fields.client_type === 'confidential' ? makeClientSecret() : undefined;
  const management = registration === 'dynamic' ? makeClientSecret() : undefined;
  assertGrantsFit({ ...fields, registration });
  await assertSector(app, { ...fields, registration });
  const adminFields = { ...usualAdminFields, ...(registration === 'manual' && readAdminFields(app, given)) };
  const audit = [auditEntry(author.actor, 'oauth_client_registered', { registration, name: fields.name })];
  const client = await insertClient(
    app.db,
    {
      ...fields,
      ...adminFields,
      registration,
      secret_hash: made?.hash ?? null,
      registration_hash: management?.hash ?? null,
    },
    storedAudit(app, audit),
  );
  logAudit(app, author.requestId, audit);
  return { client, secret: made?.secret, registrationToken: management?.secret };
}

/** Newest first, without a count. */
export const readClientsAfter = (app: Pick<App, 'db'>, after: TimePlace, limit: number) =>
  listClientsAfter(app.db, after, limit);

export const readClients = (app: Pick<App, 'db'>, limit: number, offset: number) => listClients(app.db, limit, offset);

/**
 * The client of a path parameter.
 * @throws ApiError clientIdNotUuid, clientNotFound
 */
export async function readClient(app: Pick<App, 'db'>, id: string): Promise<OauthClientRow> {
  const uuid = readUuid(id);
  if (uuid === null) throw apiError('clientIdNotUuid');
  const client = await findClient(app.db, uuid);
  if (client === undefined) throw apiError('clientNotFound');
  return client;
}

/**
 * What is absent stays.
 * @throws ApiError clientIdNotUuid, clientNotFound, clientMetadataInvalid, clientRedirectUriInvalid
 */
export async function changeClient(
  app: App,
  author: ClientAuthor,
  id: string,
  given: GivenClient & GivenAdminFields,
): Promise<OauthClientRow> {
  const client = await readClient(app, id);
  assertOwnFields(client, given);
  const method = readChangedMethod(client, given);
  const changes = {
    ...readChangedFields(app, given),
    ...readAdminFields(app, given),
    ...(method !== undefined && { auth_method: method }),
  };
  if (Object.keys(changes).length === 0) {
    throw apiError('clientMetadataInvalid', { reason: 'No fields provided for update' });
  }
  return applyChanges(app, author, client, changes);
}

/** @throws ApiError clientMetadataInvalid, overloaded; clientNotFound when it has just been deleted */
export async function applyChanges(
  app: App,
  author: ClientAuthor,
  client: OauthClientRow,
  changes: ClientChanges,
): Promise<OauthClientRow> {
  const after = { ...client, ...changes };
  assertGrantsFit(after);
  assertSameSector(client, after);
  if (SECTOR_COLUMNS.some((name) => name in changes)) await assertSector(app, after);
  const changed = Object.keys(changes);
  const audit = entriesOf(author, 'oauth_client_updated', client, {
    changed,
    ...describeFields(author.actor, client, changes),
  });
  const row = await updateClient(app.db, client.id, changes, storedAudit(app, audit));
  if (row === undefined) throw apiError('clientNotFound');
  logAudit(app, author.requestId, audit);
  return row;
}

/** What the document of a client says is not changed here: the next look at it would change it back. @throws ApiError clientMetadataInvalid */
function assertOwnFields(
  { url }: OauthClientRow,
  { refresh_token_ttl: _own, ...others }: GivenClient & GivenAdminFields,
): void {
  if (url === null || Object.values(others).every((value) => value === undefined)) return;
  throw apiError('clientMetadataInvalid', {
    reason: 'Only refresh_token_ttl can be changed: the rest is in the document',
  });
}

/**
 * A new secret; the old one ends at once.
 * @throws ApiError clientIdNotUuid, clientNotFound, clientSecretOfPublic
 */
export async function renewClientSecret(app: App, author: ClientAuthor, id: string): Promise<ClientWithSecret> {
  const client = await readClient(app, id);
  if (client.client_type === 'public') throw apiError('clientSecretOfPublic');
  const { secret, hash } = makeClientSecret();
  const told = describeFields(author.actor, { client_secret: '…' }, { client_secret: 'changed' });
  const audit = entriesOf(author, 'oauth_client_updated', client, { changed: ['client_secret'], ...told });
  const row = await replaceClientSecret(app.db, client.id, hash, storedAudit(app, audit));
  if (row === undefined) throw apiError('clientNotFound');
  logAudit(app, author.requestId, audit);
  return { client: row, secret };
}

/**
 * With its requests, consents and sessions.
 * @throws ApiError clientIdNotUuid, clientNotFound
 */
export async function deleteClient(app: App, author: ClientAuthor, id: string): Promise<void> {
  await removeKnownClient(app, author, await readClient(app, id));
}

/** @throws ApiError clientNotFound when it has just been deleted */
export async function removeKnownClient(app: App, author: ClientAuthor, client: OauthClientRow): Promise<void> {
  const audit = entriesOf(author, 'oauth_client_deleted', client, { name: client.name });
  if (!(await removeClient(app.db, client.id, storedAudit(app, audit)))) throw apiError('clientNotFound');
  logAudit(app, author.requestId, audit);
}

const entriesOf = (
  { actor }: ClientAuthor,
  action: AuditAction,
  { id }: OauthClientRow,
  traits: Readonly<Record<string, unknown>>,
) => [auditEntry(actor, action, { client_id: id, ...traits })];
