/** The statements of sql/queries/export.sql. */
import type { OauthClientRow } from './oauth-clients.js';
import type { SsoProviderRow } from './sso-providers.js';
import type { Database } from './types.js';
import type { ClientClaims, FactorKind } from './user-rows.js';

type Columns = Readonly<Record<string, unknown>>;

export interface ExportedSession extends Columns {
  readonly id: string;
  readonly user_id: string;
  readonly generation: number;
  readonly second_factors: Readonly<Record<string, string>> | null;
  readonly amr: readonly { readonly method: string; readonly timestamp: number }[];
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly revoked_at: string | null;
  /** Of an imported session, as it was then; null: it was opened here. */
  readonly moved_generation: number | null;
  /** Sealed. */
  readonly token_key: string | null;
  /** Null: it is the user's own. */
  readonly oauth_client_id: string | null;
  readonly client: ClientClaims | null;
}

/** What a user has allowed a client, or has taken back. */
export interface ExportedConsent extends Columns {
  readonly client_id: string;
  readonly scopes: readonly string[];
}

export interface ExportedFactor extends Columns {
  readonly id: string;
  readonly kind: FactorKind;
  /** Of totp: sealed. */
  readonly secret: string | null;
  readonly credential: Columns | null;
  readonly codes: readonly (Columns & { readonly code_hash: string })[] | null;
}

/** Rows as JSON. */
export interface ExportedAccount {
  readonly user: Columns & { readonly id: string };
  readonly identities: readonly Columns[] | null;
  readonly sessions: readonly ExportedSession[] | null;
  /** Verified ones. */
  readonly factors: readonly ExportedFactor[] | null;
  readonly passkeys: readonly Columns[] | null;
  readonly consents: readonly ExportedConsent[] | null;
}

/** The next accounts by id. @param afterId null: from the beginning */
export const readAccounts = (db: Database, afterId: string | null, most: number): Promise<ExportedAccount[]> =>
  db.run<ExportedAccount>('export.accounts', [afterId, most]);

export async function countAccounts(db: Database): Promise<number> {
  const [row] = await db.run<{ accounts: number }>('export.count', []);
  return row!.accounts;
}

/** The next clients by id, without deleted ones. @param afterId null: from the beginning */
export async function readClientsById(db: Database, afterId: string | null, most: number): Promise<OauthClientRow[]> {
  const rows = await db.run<{ client: OauthClientRow }>('export.clients', [afterId, most]);
  return rows.map(({ client }) => client);
}

export interface ExportedDomain {
  readonly domain: string;
  readonly created_at: string;
  readonly is_verified: boolean;
}

export interface ExportedSsoProvider
  extends Pick<
    SsoProviderRow,
    | 'id'
    | 'resource_id'
    | 'disabled'
    | 'entity_id'
    | 'metadata_xml'
    | 'metadata_url'
    | 'metadata_refreshed_at'
    | 'attribute_mapping'
    | 'name_id_format'
    | 'options'
    | 'created_at'
    | 'updated_at'
  > {
  readonly domains: readonly ExportedDomain[];
}

/** The next providers of companies by id, with their domains. @param afterId null: from the beginning */
export const readSsoProvidersById = (
  db: Database,
  afterId: string | null,
  most: number,
): Promise<ExportedSsoProvider[]> => db.run<ExportedSsoProvider>('export.sso_providers', [afterId, most]);

/** What was imported and is no longer here; the statements tell. */
export type EndedKind =
  | 'deleted_users'
  | 'ended_sessions'
  | 'ended_factors'
  | 'ended_passkeys'
  | 'deleted_clients'
  | 'deleted_providers'
  | 'deleted_sso_providers';

/** Ids. @param afterId null: from the beginning */
export async function readEnded(
  db: Database,
  what: EndedKind,
  afterId: string | null,
  most: number,
): Promise<string[]> {
  const rows = await db.run<{ id: string }>(`export.${what}`, [afterId, most]);
  return rows.map(({ id }) => id);
}
