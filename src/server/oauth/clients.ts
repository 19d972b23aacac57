/** Clients: what administrators and registration do with them. */
import {
  type ClientChanges,
  type ClientRegistration,
  findClient,
  listClients,
  listClientsAfter,
  type OauthClientRow,
  removeClient,
  removeClientSessions,
  replaceClientSecret,
  updateClient,
} from '../../db/oauth-clients.js';
import type { TimePlace } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type GivenAdminFields, readAdminFields, usualAdminFields } from './client-admin-fields.js';
import { type GivenClient, readChangedFields, readChangedMethod } from './client-fields.js';
import { withServedOrganization } from './served-organization.js';
import {
  assertHasSecret,
  type ClientAuthor,
  type ClientWithSecret,
  checkClientChanges,
  checkNewClient,
  clientEntries,
  insertCheckedClient,
  makeNextSecret,
} from './write-client.js';

export type { ClientAuthor, ClientWithSecret } from './write-client.js';

/**
 * Registers a client (RFC 7591 3).
 * @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid, overloaded; by an administrator organizationNotFound,
 *   roleNotFound
 */
export async function registerClient(
  app: App,
  author: ClientAuthor,
  given: GivenClient & GivenAdminFields,
  registration: ClientRegistration,
): Promise<ClientWithSecret> {
  const more = registration === 'manual' ? readAdminFields(app, given) : {};
  const checked = await checkNewClient(app, author, given, registration, more);
  const made = await withServedOrganization(app, checked.values, (db) => insertCheckedClient(app, db, checked));
  logAudit(app, author.requestId, checked.audit);
  return made;
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
 * @throws ApiError clientIdNotUuid, clientNotFound, clientMetadataInvalid, clientRedirectUriInvalid, organizationNotFound, roleNotFound
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

/**
 * @throws ApiError clientMetadataInvalid, overloaded; clientNotFound when it has just been deleted; of another organization
 *   organizationNotFound, roleNotFound
 */
export async function applyChanges(
  app: App,
  author: ClientAuthor,
  client: OauthClientRow,
  changes: ClientChanges,
): Promise<OauthClientRow> {
  const audit = await checkClientChanges(app, author, client, changes);
  const isServed = 'organization_id' in changes || 'org_roles' in changes;
  const served = isServed ? { ...client, ...changes } : usualAdminFields;
  const row = await withServedOrganization(app, served, (db) =>
    updateClient(db, client.id, changes, storedAudit(app, audit)),
  );
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
 * @throws ApiError clientIdNotUuid, clientNotFound, clientSecretOfPublic, clientSecretOfKey
 */
export async function renewClientSecret(app: App, author: ClientAuthor, id: string): Promise<ClientWithSecret> {
  const client = await readClient(app, id);
  assertHasSecret(client);
  const { secret, hash, audit } = makeNextSecret(author, client);
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
  const audit = clientEntries(author, 'oauth_client_deleted', client, { name: client.name });
  if (!(await removeClient(app.db, client.id, storedAudit(app, audit)))) throw apiError('clientNotFound');
  await removeClientSessions(app.db, client.id);
  logAudit(app, author.requestId, audit);
}
