/** The statements of sql/queries/verify.sql. */
import type { Database } from './types.js';

type Columns = Readonly<Record<string, unknown>>;

/** What is imported and compared, apart from identities, which belong to their accounts. */
export type MovedKind =
  | 'accounts'
  | 'sessions'
  | 'factors'
  | 'passkeys'
  | 'providers'
  | 'sso_providers'
  | 'clients'
  | 'consents';

export type ImportedTotals = Record<MovedKind | 'identities', number>;

/** Rows as JSON, as they are here. */
export interface StoredAccount {
  id: string;
  user: Columns;
  identities: readonly Columns[] | null;
  /** Here, since it was imported. */
  has_changed: boolean;
}

export interface StoredSession {
  id: string;
  session: Columns;
  has_changed: boolean;
}

export interface StoredFactor {
  id: string;
  factor: Columns;
  codes: readonly Columns[] | null;
  has_changed: boolean;
}

export interface StoredPasskey {
  id: string;
  passkey: Columns;
  has_changed: boolean;
}

export interface StoredProviderFacts {
  id: string;
  provider: Columns;
  has_changed: boolean;
}

export interface StoredClient {
  id: string;
  client: Columns;
  has_changed: boolean;
}

export interface StoredConsent {
  id: string;
  consent: Columns;
  has_changed: boolean;
}

export async function countImported(db: Database): Promise<ImportedTotals> {
  const [row] = await db.run<ImportedTotals>('verify.count', []);
  return row!;
}

export const readStoredAccounts = (db: Database, ids: readonly string[]): Promise<StoredAccount[]> =>
  db.run<StoredAccount>('verify.accounts', [ids]);

export const readStoredSessions = (db: Database, ids: readonly string[]): Promise<StoredSession[]> =>
  db.run<StoredSession>('verify.sessions', [ids]);

export const readStoredFactors = (db: Database, ids: readonly string[]): Promise<StoredFactor[]> =>
  db.run<StoredFactor>('verify.factors', [ids]);

export const readStoredPasskeys = (db: Database, ids: readonly string[]): Promise<StoredPasskey[]> =>
  db.run<StoredPasskey>('verify.passkeys', [ids]);

export const readStoredProviders = (db: Database, ids: readonly string[]): Promise<StoredProviderFacts[]> =>
  db.run<StoredProviderFacts>('verify.providers', [ids]);

/** With their domains. */
export const readStoredSsoProviders = (db: Database, ids: readonly string[]): Promise<StoredProviderFacts[]> =>
  db.run<StoredProviderFacts>('verify.sso_providers', [ids]);

export const readStoredClients = (db: Database, ids: readonly string[]): Promise<StoredClient[]> =>
  db.run<StoredClient>('verify.clients', [ids]);

/** By user and client: here a consent has no id of its own. */
export const readStoredConsents = (
  db: Database,
  consents: readonly { readonly id: string; readonly user_id?: unknown; readonly client_id?: unknown }[],
): Promise<StoredConsent[]> =>
  db.run<StoredConsent>('verify.consents', [
    JSON.stringify(consents.map(({ id, user_id, client_id }) => ({ id, user_id, client_id }))),
  ]);

/** Ids of what was imported and is here, from a place on. */
export async function sampleImported(db: Database, what: MovedKind, afterId: string, most: number): Promise<string[]> {
  const rows = await db.run<{ id: string }>(`verify.some_${what}`, [afterId, most]);
  return rows.map(({ id }) => id);
}

/** Which of these were imported once, whether or not they are here. */
export async function findImported(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.run<{ id: string }>('verify.imported', [ids]);
  return new Set(rows.map(({ id }) => id));
}
