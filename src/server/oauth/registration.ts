/** Clients that register themselves (RFC 7591), and manage their registration (RFC 7592). */
import { findClient, type OauthClientRow } from '../../db/oauth-clients.js';
import { isUuid, NIL_UUID } from '../../db/uuid.js';
import { type ApiError, apiError } from '../errors.js';
import { issuerBase } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { type GivenClient, readNewClient } from './client-fields.js';
import { hashClientSecret, isClientSecret } from './client-secret.js';
import { viewClient, viewClientWithSecret } from './client-view.js';
import { applyChanges, type ClientAuthor, registerClient, removeKnownClient } from './clients.js';

/** Nobody has signed in. */
const ANYONE = { id: NIL_UUID, email: null, phone: null };

const authorOf = (requestId: string): ClientAuthor => ({ requestId, actor: ANYONE });

/**
 * @param authorization value of the header: the initial access token (RFC 7591 3), where one is needed
 * @throws ApiError registrationTokenMissing, clientMetadataInvalid, clientRedirectUriInvalid
 */
export async function registerItself(
  app: App,
  requestId: string,
  authorization: string | undefined,
  given: GivenClient,
): Promise<Record<string, unknown>> {
  const tokens = app.config.oauthServerRegistrationTokens;
  const token = readBearer(authorization);
  const isWelcome = tokens.length === 0 || tokens.some((one) => isClientSecret(token, hashClientSecret(one)));
  if (!isWelcome) throw refusal();
  const made = await registerClient(app, authorOf(requestId), given, 'dynamic');
  return { ...viewClientWithSecret(made), ...manage(app, made.client, made.registrationToken!) };
}

/**
 * What the client has registered (RFC 7592 2.1). It knows its token already, and its secret, which is not stored.
 * @throws ApiError registrationTokenMissing
 */
export async function readOwnRegistration(
  app: App,
  authorization: string | undefined,
  clientId: string,
): Promise<Record<string, unknown>> {
  const client = await findRegistered(app, authorization, clientId);
  return view(app, client, authorization);
}

/**
 * Replaces what the client has registered (RFC 7592 2.2). What it leaves out gets its default, except for the scope, and its types stay.
 * @throws ApiError registrationTokenMissing, registrationMismatch, clientMetadataInvalid, clientRedirectUriInvalid, clientNotFound
 */
export async function changeOwnRegistration(
  app: App,
  requestId: string,
  authorization: string | undefined,
  clientId: string,
  given: GivenClient & { readonly client_id?: string; readonly client_secret?: string },
): Promise<Record<string, unknown>> {
  const client = await findRegistered(app, authorization, clientId);
  if (given.client_id?.toLowerCase() !== client.id) throw apiError('registrationMismatch', { name: 'client_id' });
  const { client_secret: secret } = given;
  if (secret !== undefined && !isClientSecret(secret, client.secret_hash)) {
    throw apiError('registrationMismatch', { name: 'client_secret' });
  }
  if (given.client_type !== undefined && given.client_type !== client.client_type) {
    throw apiError('clientMetadataInvalid', { reason: 'client_type cannot be changed' });
  }
  const { client_type, subject_type } = client;
  const { client_type: _stays, scopes, ...fields } = readNewClient(app, { subject_type, ...given, client_type });
  const changes = { ...fields, ...(scopes !== null && { scopes }) };
  return view(app, await applyChanges(app, authorOf(requestId), client, changes), authorization);
}

/**
 * The client and all it may do end (RFC 7592 2.3).
 * @throws ApiError registrationTokenMissing, clientNotFound
 */
export async function endOwnRegistration(
  app: App,
  requestId: string,
  authorization: string | undefined,
  clientId: string,
): Promise<void> {
  await removeKnownClient(app, authorOf(requestId), await findRegistered(app, authorization, clientId));
}

/** An unknown client and a wrong token are the same (RFC 7592 2.1). @throws ApiError registrationTokenMissing */
async function findRegistered(
  app: Pick<App, 'db'>,
  authorization: string | undefined,
  clientId: string,
): Promise<OauthClientRow> {
  const client = isUuid(clientId) ? await findClient(app.db, clientId.toLowerCase()) : undefined;
  if (client === undefined || !isClientSecret(readBearer(authorization), client.registration_hash)) throw refusal();
  return client;
}

const view = (app: App, client: OauthClientRow, authorization: string | undefined) => ({
  ...viewClient(client),
  ...manage(app, client, readBearer(authorization)),
});

/** RFC 7592 3. */
const manage = ({ config }: Pick<App, 'config'>, { id }: OauthClientRow, token: string) => ({
  registration_access_token: token,
  registration_client_uri: `${issuerBase(config)}/oauth/clients/register/${id}`,
});

const readBearer = (authorization = ''): string => /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1] ?? '';

const refusal = (): ApiError =>
  apiError('registrationTokenMissing', {}, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
