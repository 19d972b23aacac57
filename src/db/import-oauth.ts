/** The statements of sql/queries/import-oauth.sql. */
import type { CustomProviderRow } from './custom-providers.js';
import type { OauthClientRow } from './oauth-clients.js';
import type { Database } from './types.js';

/** A client as it is stored. Timestamps are RFC 3339. */
export interface ImportClient
  extends Pick<
    OauthClientRow,
    | 'id'
    | 'name'
    | 'client_type'
    | 'auth_method'
    | 'secret_hash'
    | 'redirect_uris'
    | 'grant_types'
    | 'uri'
    | 'logo_uri'
    | 'registration'
    | 'created_at'
    | 'updated_at'
  > {
  /** Of the client as it was read; so are the others. */
  readonly digest: string;
}

/** What a user has allowed a client, or has taken back. */
export interface ImportConsent {
  readonly id: string;
  readonly user_id: string;
  readonly client_id: string;
  readonly scopes: readonly string[];
  readonly granted_at: string;
  readonly revoked_at: string | null;
  readonly digest: string;
}

export interface ImportProvider
  extends Omit<CustomProviderRow, 'version' | 'organization_id' | 'roles' | 'role_mapping'> {
  readonly digest: string;
}

/** The verdicts are explained at the statements. */
export type OauthVerdict =
  | 'imported'
  | 'changed'
  | 'same'
  | 'kept'
  | 'deleted'
  | 'there'
  | 'no_account'
  | 'no_client'
  | 'identifier'
  | 'raced';

/** A stretch of ids, and those in it that are still there. */
export interface GoneRange {
  /** Null: from the beginning. */
  readonly after: string | null;
  /** Null: to the end. */
  readonly upTo: string | null;
  readonly present: readonly string[];
}

/** @returns a verdict for each client, in order */
export const importClients = (db: Database, clients: readonly ImportClient[]): Promise<OauthVerdict[]> =>
  importBatch(db, 'import-oauth.clients', clients);

/** @returns a verdict for each consent, in order */
export const importConsents = (db: Database, consents: readonly ImportConsent[]): Promise<OauthVerdict[]> =>
  importBatch(db, 'import-oauth.consents', consents);

/** @returns a verdict for each provider, in order */
export const importProviders = (db: Database, providers: readonly ImportProvider[]): Promise<OauthVerdict[]> =>
  importBatch(db, 'import-oauth.providers', providers);

async function importBatch(db: Database, statement: string, items: readonly object[]): Promise<OauthVerdict[]> {
  const rows = await db.run<{ position: number; verdict: OauthVerdict }>(statement, [
    JSON.stringify(items.map((item, position) => ({ position, ...item }))),
  ]);
  const verdicts: OauthVerdict[] = [];
  for (const { position, verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}

/**
 * Deletes clients that an earlier run brought, are as they were, and are no longer there, with their sessions.
 * @returns how many
 */
export async function removeGoneClients(db: Database, { after, upTo, present }: GoneRange): Promise<number> {
  const removed = await db.run<{ id: string }>('import-oauth.remove_gone_clients', [after, upTo, present]);
  // After the commit, so that the session of a concurrent code exchange is found, too.
  for (const { id } of removed) await db.run('oauth-clients.remove_sessions', [id]);
  return removed.length;
}

/** The same of providers. @returns how many */
export async function removeGoneProviders(db: Database, { after, upTo, present }: GoneRange): Promise<number> {
  return (await db.run('import-oauth.remove_gone_providers', [after, upTo, present])).length;
}
