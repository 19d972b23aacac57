/**
 * Clients of the authorization server that an organization has: applications for its members, and machine accounts, which are the API
 * keys of a customer. They are the clients that administrators see, without what only those may say of a client.
 */

import {
  findClient,
  type OauthClientRow,
  removeClient,
  removeClientSessions,
  replaceClientSecret,
  updateClient,
} from '../../db/oauth-clients.js';
import {
  countOrganizationClients,
  listOrganizationClients,
  lockOrganizationClient,
} from '../../db/organization-clients.js';
import type { Statements } from '../../db/types.js';
import { readUuid } from '../../db/uuid.js';
import { logAudit, storedAudit } from '../accounts/audit.js';
import { apiError } from '../errors.js';
import { readClientRoles } from '../oauth/client-admin-fields.js';
import { type GivenClient, readChangedFields, readChangedMethod } from '../oauth/client-fields.js';
import { viewClient } from '../oauth/client-view.js';
import {
  assertHasSecret,
  type ClientAuthor,
  type ClientWithSecret,
  checkClientChanges,
  checkNewClient,
  clientEntries,
  insertCheckedClient,
  makeNextSecret,
} from '../oauth/write-client.js';
import type { App } from '../runtime/app.js';
import type { UserCaller } from '../sessions/caller.js';
import { assertMayChangeAccess } from './access-guard.js';
import { readOwnOrganization } from './change-organization.js';
import { readTimePage } from './list-cursor.js';
import { changerOfUser, keepRoles, type LockedOrganization, withLockedOrganization } from './locked-organization.js';
import { assertKnownRoles, assertMayEndClient, assertMayManageClient, assertPermitted } from './rules.js';

const MAX_CLIENTS = 100;

/** Who asks, and for which organization. */
export interface ClientRequest {
  readonly requestId: string;
  readonly caller: UserCaller;
  /** Of the organization. */
  readonly pathId: string;
}

/** As sent; every field may be absent. */
export type GivenOrganizationClient = GivenClient & { readonly organization_roles?: readonly string[] };

const authorOf = ({ requestId, caller }: ClientRequest): ClientAuthor => ({ requestId, actor: caller.user });

/** Newest first. @throws ApiError organizationNotFound, organizationPermissionMissing, organizationFieldInvalid */
export async function readClientRows(app: App, { caller, pathId }: ClientRequest, query: ReadonlyMap<string, string>) {
  const { id } = await readOwnOrganization(app, caller, pathId, 'clients:manage');
  const { rows, next_cursor } = await readTimePage(
    query,
    (place, count) => listOrganizationClients(app.db, id, place, count),
    ({ client, created_at }) => [created_at, client.id],
  );
  return { rows: rows.map(({ client }) => client), next_cursor };
}

/** GET /organizations/{id}/clients. @throws ApiError those of {@link readClientRows} */
export async function readClientPage(app: App, request: ClientRequest, query: ReadonlyMap<string, string>) {
  const { rows, next_cursor } = await readClientRows(app, request, query);
  return { clients: rows.map(viewClient), next_cursor };
}

/**
 * Whoever has the secret of a client acts with its roles, so they are given like those of a member.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, roleNotFound, tooManyClients,
 *   aalForOrganization, stepUpRequired, sessionNotFound, clientMetadataInvalid, clientRedirectUriInvalid, overloaded
 */
export async function addOrganizationClient(
  app: App,
  request: ClientRequest,
  given: GivenOrganizationClient,
): Promise<ClientWithSecret> {
  const { caller, pathId, requestId } = request;
  const { id } = await readOwnOrganization(app, caller, pathId, 'clients:manage');
  await assertMayChangeAccess(app, caller);
  const roles = readClientRoles(given.organization_roles ?? []);
  const served = { organization_id: id, org_roles: roles };
  const checked = await checkNewClient(app, authorOf(request), given, 'manual', served);
  const made = await withLockedOrganization(
    app,
    changerOfUser(caller, requestId),
    id,
    null,
    async (statements, locked) => {
      await assertRolesGiven(statements, locked, [], roles);
      if ((await countOrganizationClients(statements, id)) >= MAX_CLIENTS) {
        throw apiError('tooManyClients', { limit: MAX_CLIENTS });
      }
      return insertCheckedClient(app, statements, checked);
    },
  );
  logAudit(app, requestId, checked.audit);
  return made;
}

/** @throws ApiError organizationNotFound, organizationPermissionMissing, clientNotFound */
export async function readOrganizationClient(
  app: App,
  { caller, pathId }: ClientRequest,
  clientId: string,
): Promise<OauthClientRow> {
  const { id } = await readOwnOrganization(app, caller, pathId, 'clients:manage');
  const uuid = readUuid(clientId);
  const client = uuid === null ? undefined : await findClient(app.db, uuid);
  // Those of others are not there.
  if (client?.organization_id !== id) throw apiError('clientNotFound');
  return client;
}

/**
 * What is absent stays.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, roleNotFound, clientNotFound,
 *   aalForOrganization, stepUpRequired, sessionNotFound, clientMetadataInvalid, clientRedirectUriInvalid, overloaded
 */
export async function changeOrganizationClient(
  app: App,
  request: ClientRequest,
  clientId: string,
  given: GivenOrganizationClient,
): Promise<OauthClientRow> {
  const client = await readOrganizationClient(app, request, clientId);
  await assertMayChangeAccess(app, request.caller);
  const method = readChangedMethod(client, given);
  const roles = given.organization_roles && readClientRoles(given.organization_roles);
  const changes = {
    ...readChangedFields(app, given),
    ...(method !== undefined && { auth_method: method }),
    ...(roles !== undefined && { org_roles: roles }),
  };
  if (Object.keys(changes).length === 0) {
    throw apiError('clientMetadataInvalid', { reason: 'No fields provided for update' });
  }
  const audit = await checkClientChanges(app, authorOf(request), client, changes);
  const row = await withLockedClient(app, request, client, async (statements, locked, current) => {
    // It was checked as it was read.
    if (current.version !== client.version) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
    await assertRolesGiven(statements, locked, current.org_roles, roles ?? []);
    return updateClient(statements, client.id, changes, storedAudit(app, audit));
  });
  logAudit(app, request.requestId, audit);
  return row!;
}

/**
 * A new secret; the old one ends at once.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, clientNotFound, clientSecretOfPublic,
 *   clientSecretOfKey, aalForOrganization, stepUpRequired, sessionNotFound
 */
export async function renewOrganizationClientSecret(
  app: App,
  request: ClientRequest,
  clientId: string,
): Promise<ClientWithSecret> {
  const client = await readOrganizationClient(app, request, clientId);
  await assertMayChangeAccess(app, request.caller);
  assertHasSecret(client);
  const { secret, hash, audit } = makeNextSecret(authorOf(request), client);
  const row = await withLockedClient(app, request, client, async (statements, { catalog, standing }, current) => {
    assertMayManageClient(catalog, standing, current.org_roles);
    return replaceClientSecret(statements, client.id, hash, storedAudit(app, audit));
  });
  // It proves itself by a key since it was read.
  if (row === undefined) throw apiError('clientSecretOfKey');
  logAudit(app, request.requestId, audit);
  return { client: row, secret };
}

/**
 * With its requests, consents and sessions.
 * @throws ApiError organizationNotFound, organizationPermissionMissing, ownersOnly, clientNotFound
 */
export async function removeOrganizationClient(app: App, request: ClientRequest, clientId: string): Promise<void> {
  const client = await readOrganizationClient(app, request, clientId);
  const audit = clientEntries(authorOf(request), 'oauth_client_deleted', client, { name: client.name });
  await withLockedClient(app, request, client, async (statements, { catalog, standing }, current) => {
    assertMayEndClient(catalog, standing, current.org_roles);
    await removeClient(statements, client.id, storedAudit(app, audit));
  });
  await removeClientSessions(app.db, client.id);
  logAudit(app, request.requestId, audit);
}

/** @throws ApiError organizationNotFound, clientNotFound, and what `work` throws */
function withLockedClient<Result>(
  app: App,
  { caller, requestId }: ClientRequest,
  { id, organization_id: organizationId }: OauthClientRow,
  work: (statements: Statements, locked: LockedOrganization, current: OauthClientRow) => Promise<Result>,
): Promise<Result> {
  const changer = changerOfUser(caller, requestId);
  return withLockedOrganization(app, changer, organizationId!, null, async (statements, locked) => {
    assertPermitted(locked.catalog, locked.standing, 'clients:manage');
    const current = await lockOrganizationClient(statements, id, organizationId!);
    if (current === undefined) throw apiError('clientNotFound');
    return work(statements, locked, current);
  });
}

/** @throws ApiError organizationPermissionMissing, ownersOnly, roleNotFound */
async function assertRolesGiven(
  statements: Statements,
  { catalog, standing }: LockedOrganization,
  former: readonly string[],
  next: readonly string[],
): Promise<void> {
  assertMayManageClient(catalog, standing, former);
  assertKnownRoles(catalog, next);
  assertMayManageClient(catalog, standing, next);
  await keepRoles(statements, next);
}
