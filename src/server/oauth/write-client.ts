/**
 * What is written of clients. The checks come first, since they may read a document of the client; then it is written in one
 * statement, which may be part of a transaction.
 */
import {
  type ClientChanges,
  type ClientRegistration,
  insertClient,
  type NewClient,
  type OauthClientRow,
} from '../../db/oauth-clients.js';
import type { Statements } from '../../db/types.js';
import {
  type Actor,
  type AuditAction,
  type AuditEntry,
  auditEntry,
  describeFields,
  storedAudit,
} from '../accounts/audit.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { assertPublicHosts } from './client-addresses.js';
import { type AdminFields, assertRolesFit, usualAdminFields } from './client-admin-fields.js';
import { assertGrantsFit, type GivenClient, readNewClient } from './client-fields.js';
import { assertKeysFit, KEY_METHOD } from './client-key-fields.js';
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
  /** Undefined for clients that have none. */
  readonly secret: string | undefined;
  /** Of a client that registers itself (RFC 7592 3). */
  readonly registrationToken?: string | undefined;
}

/** A new client that may be written. */
export interface CheckedClient extends Omit<ClientWithSecret, 'client'> {
  readonly values: NewClient;
  readonly audit: readonly AuditEntry[];
}

/** @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid, overloaded */
export async function checkNewClient(
  app: App,
  { actor }: ClientAuthor,
  given: GivenClient,
  registration: ClientRegistration,
  more: Partial<AdminFields> = {},
): Promise<CheckedClient> {
  const fields = readNewClient(app, given);
  const made = hasSecret(fields) ? makeClientSecret() : undefined;
  const management = registration === 'dynamic' ? makeClientSecret() : undefined;
  const values: NewClient = {
    ...fields,
    ...usualAdminFields,
    ...more,
    registration,
    secret_hash: made?.hash ?? null,
    registration_hash: management?.hash ?? null,
  };
  assertGrantsFit(values);
  assertKeysFit(values);
  assertPublicHosts(values);
  assertRolesFit(values);
  await assertSector(app, values);
  const { organization_id: organizationId } = values;
  const served = organizationId === null ? {} : { organization_id: organizationId };
  return {
    values,
    secret: made?.secret,
    registrationToken: management?.secret,
    audit: [auditEntry(actor, 'oauth_client_registered', { registration, name: fields.name, ...served })],
  };
}

export async function insertCheckedClient(
  app: App,
  db: Statements,
  { values, secret, registrationToken, audit }: CheckedClient,
): Promise<ClientWithSecret> {
  return { client: await insertClient(db, values, storedAudit(app, audit)), secret, registrationToken };
}

/**
 * @returns what to log and store of the change
 * @throws ApiError clientMetadataInvalid, clientRedirectUriInvalid, overloaded
 */
export async function checkClientChanges(
  app: App,
  author: ClientAuthor,
  client: OauthClientRow,
  changes: ClientChanges,
): Promise<readonly AuditEntry[]> {
  const after = { ...client, ...changes };
  assertGrantsFit(after);
  assertKeysFit(after);
  assertPublicHosts(after, Object.keys(changes));
  assertRolesFit(after);
  assertSameSector(client, after);
  if (SECTOR_COLUMNS.some((name) => name in changes)) await assertSector(app, after);
  const changed = Object.keys(changes);
  return clientEntries(author, 'oauth_client_updated', client, {
    changed,
    ...describeFields(author.actor, client, changes),
  });
}

export const hasSecret = ({
  client_type: type,
  auth_method: method,
}: Pick<NewClient, 'client_type' | 'auth_method'>): boolean => type === 'confidential' && method !== KEY_METHOD;

/** @throws ApiError clientSecretOfPublic, clientSecretOfKey */
export function assertHasSecret(client: OauthClientRow): void {
  if (!hasSecret(client))
    throw apiError(client.client_type === 'public' ? 'clientSecretOfPublic' : 'clientSecretOfKey');
}

/** A new secret of a client, and what to log and store of it. */
export function makeNextSecret(author: ClientAuthor, client: OauthClientRow) {
  const told = describeFields(author.actor, { client_secret: '…' }, { client_secret: 'changed' });
  const audit = clientEntries(author, 'oauth_client_updated', client, { changed: ['client_secret'], ...told });
  return { ...makeClientSecret(), audit };
}

export const clientEntries = (
  { actor }: ClientAuthor,
  action: AuditAction,
  { id, organization_id: organizationId }: OauthClientRow,
  traits: Readonly<Record<string, unknown>>,
): readonly AuditEntry[] => [
  auditEntry(actor, action, {
    client_id: id,
    ...(organizationId !== null && { organization_id: organizationId }),
    ...traits,
  }),
];
