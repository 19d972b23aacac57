/** The statements of sql/queries/oauth-clients.sql. */
import { lruByOwner } from '../caching/lru.js';
import type { Database, Statements, TimePlace } from './types.js';

export type ClientType = 'public' | 'confidential';
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
export type ClientRegistration = 'dynamic' | 'manual';
/** OpenID Connect Core 8 */
export type SubjectType = 'public' | 'pairwise';

/** Public keys (RFC 7517 5), of which only what counts is kept. */
export interface ClientKeySet {
  readonly keys: readonly Readonly<Record<string, string>>[];
}

/** A client of the authorization server. Rows keep the names of their columns. */
export interface OauthClientRow {
  readonly id: string;
  /** Raised by every change. */
  readonly version: number;
  readonly name: string;
  readonly client_type: ClientType;
  readonly auth_method: ClientAuthMethod;
  /** SHA-256, base64url. */
  readonly secret_hash: string | null;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly uri: string;
  readonly logo_uri: string;
  /** Null: any. */
  readonly scopes: readonly string[] | null;
  /** Where users may be sent back to after a logout. */
  readonly post_logout_redirect_uris: readonly string[];
  /** Where it hears of the end of its sessions. */
  readonly backchannel_logout_uri: string | null;
  readonly backchannel_logout_session_required: boolean;
  readonly subject_type: SubjectType;
  /** Lists the redirect URIs of all clients of its sector. */
  readonly sector_identifier_uri: string | null;
  /** Its requests for tokens need a proof of a key (RFC 9449 5.2). */
  readonly dpop_bound_access_tokens: boolean;
  /** Resources (RFC 8707) that it serves. */
  readonly resources: readonly string[];
  /** Of the tokens that it gets for itself; null: the first of OAUTH_SERVER_MACHINE_ROLES. */
  readonly role: string | null;
  /** Keys by which it proves who it is; null: none are stored. */
  readonly jwks: ClientKeySet | null;
  /** Where it publishes them instead. */
  readonly jwks_uri: string | null;
  /** The only one that it serves; null: it serves all users. */
  readonly organization_id: string | null;
  /** Of the tokens that it gets for itself, in that organization; sorted. */
  readonly org_roles: readonly string[];
  readonly registration: ClientRegistration;
  readonly refresh_ttl_seconds: number | null;
  /** Of its metadata document, by which it is known; null: it is known by its id. */
  readonly url: string | null;
  /** SHA-256 of its registration access token, base64url. */
  readonly registration_hash: string | null;
  /** Until then the copy of the document may be used. */
  readonly fresh_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

type ClientResult = { client: OauthClientRow };

/** A row takes about 1 kB. */
const cacheOf = lruByOwner<Database, OauthClientRow>({
  maxEntries: 1024,
  maxCharacters: 1_048_576,
  countCharacters: (client) => JSON.stringify(client).length,
});

/** As last read, which may be outdated: statements that rely on it compare its version. */
export const cachedClient = (db: Database, id: string): OauthClientRow | undefined => cacheOf(db).get(id);

/** @returns undefined when there is no such client, or it was deleted */
export async function findClient(db: Database, id: string): Promise<OauthClientRow | undefined> {
  const [row] = await db.run<ClientResult>('oauth-clients.find', [id]);
  if (row !== undefined) cacheOf(db).set(id, Object.freeze(row.client));
  return row?.client;
}

/** Newest first. */
export async function listClients(
  db: Database,
  limit: number,
  offset: number,
): Promise<{ total: number; clients: OauthClientRow[] }> {
  const rows = await db.run<{ total: string; client: OauthClientRow | null }>('oauth-clients.page', [limit, offset]);
  return {
    total: Number(rows[0]!.total),
    clients: rows.flatMap(({ client }) => (client === null ? [] : [client])),
  };
}

/** Newest first. */
export async function listClientsAfter(
  db: Database,
  { createdAt, id }: TimePlace,
  limit: number,
): Promise<OauthClientRow[]> {
  const rows = await db.run<ClientResult>('oauth-clients.page_after', [createdAt, id, limit]);
  return rows.map(({ client }) => client);
}

export type NewClient = Omit<
  OauthClientRow,
  'id' | 'version' | 'url' | 'fresh_until' | 'created_at' | 'updated_at' | 'deleted_at'
>;

export async function insertClient(
  db: Statements,
  client: NewClient,
  audit: readonly object[],
): Promise<OauthClientRow> {
  const values = [JSON.stringify(client), JSON.stringify(audit)];
  return (await db.run<ClientResult>('oauth-clients.create', values))[0]!.client;
}

export interface DocumentClient {
  /** Made from the address. */
  readonly id: string;
  readonly url: string;
  readonly fields: Pick<
    NewClient,
    | 'name'
    | 'redirect_uris'
    | 'grant_types'
    | 'uri'
    | 'logo_uri'
    | 'dpop_bound_access_tokens'
    | 'post_logout_redirect_uris'
    | 'backchannel_logout_uri'
    | 'backchannel_logout_session_required'
    | 'subject_type'
    | 'sector_identifier_uri'
  >;
  readonly freshSeconds: number;
  /** Of the stored client that the fields were compared with; null: there was none. */
  readonly version: number | null;
}

/**
 * Adds a client with a document, or renews it.
 * @param audit stored for a new client
 * @returns undefined when its subjects are pairwise and another caller was quicker
 */
export async function putDocumentClient(
  db: Statements,
  { id, url, fields, freshSeconds, version }: DocumentClient,
  audit: readonly object[],
): Promise<{ client: OauthClientRow; isNew: boolean } | undefined> {
  const values = [id, url, JSON.stringify(fields), freshSeconds, JSON.stringify(audit), version];
  const [row] = await db.run<ClientResult & { is_new: boolean }>('oauth-clients.put_document', values);
  return row && { client: row.client, isNew: row.is_new };
}

/** What is absent stays. */
export type ClientChanges = Partial<
  Omit<NewClient, 'client_type' | 'registration' | 'secret_hash' | 'registration_hash'>
>;

/** @returns undefined when there is no such client */
export async function updateClient(
  db: Statements,
  id: string,
  changes: ClientChanges,
  audit: readonly object[],
): Promise<OauthClientRow | undefined> {
  const values = [id, JSON.stringify(changes), JSON.stringify(audit)];
  return (await db.run<ClientResult>('oauth-clients.change', values))[0]?.client;
}

/** @returns undefined when there is no such client, or it has no secret */
export async function replaceClientSecret(
  db: Statements,
  id: string,
  secretHash: string,
  audit: readonly object[],
): Promise<OauthClientRow | undefined> {
  const values = [id, secretHash, JSON.stringify(audit)];
  return (await db.run<ClientResult>('oauth-clients.replace_secret', values))[0]?.client;
}

/**
 * Deletes a client with its requests. Its sessions are deleted once that is committed.
 * @returns false when there is no such client
 */
export const removeClient = async (statements: Statements, id: string, audit: readonly object[]): Promise<boolean> =>
  (await statements.run('oauth-clients.remove', [id, JSON.stringify(audit)])).length > 0;

/** Of a deleted client. Call it after the commit, so that the session of a concurrent code exchange is found, too. */
export async function removeClientSessions(db: Database, id: string): Promise<void> {
  await db.run('oauth-clients.remove_sessions', [id]);
}
