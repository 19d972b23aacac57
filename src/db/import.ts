/** The statements of sql/queries/import.sql. */
import type { Database, Statements } from './types.js';
import type { Metadata } from './user-rows.js';

/** An account as it is stored. Timestamps are RFC 3339. */
export interface ImportedUser {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  email_confirmed_at: string | null;
  phone: string | null;
  phone_confirmed_at: string | null;
  password_hash: string | null;
  invited_at: string | null;
  last_sign_in_at: string | null;
  app_metadata: Metadata;
  user_metadata: Metadata;
  is_sso_user: boolean;
  is_anonymous: boolean;
  banned_until: string | null;
  created_at: string;
  updated_at: string;
}

export interface ImportedIdentity {
  /** Null or absent: a new one. */
  id?: string | null;
  provider: string;
  provider_id: string;
  identity_data: Metadata;
  last_sign_in_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface ImportAccount {
  user: ImportedUser;
  identities: readonly ImportedIdentity[];
  /** Of an account that a later run will compare; absent: from a file. */
  digest?: string;
}

/** The verdicts are explained at the statement. */
export type ImportVerdict =
  | 'imported'
  | 'changed'
  | 'there'
  | 'same'
  | 'kept'
  | 'deleted'
  | 'email'
  | 'phone'
  | 'identity'
  | 'raced';

/**
 * @param isDry stores nothing: the verdicts are those of a run now
 * @returns a verdict for each account, in order
 */
export async function importUsers(
  db: Statements,
  accounts: readonly ImportAccount[],
  isDry = false,
): Promise<ImportVerdict[]> {
  const users = accounts.map(({ user, digest }, position) => ({ position, digest, ...user }));
  const identities = accounts.flatMap((account) =>
    account.identities.map((identity) => ({ user_id: account.user.id, ...identity })),
  );
  const rows = await db.run<{ position: number; verdict: ImportVerdict }>('import.users', [
    JSON.stringify(users),
    JSON.stringify(identities),
    isDry,
  ]);
  const verdicts: ImportVerdict[] = [];
  for (const { position, verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}

/**
 * Accounts that an earlier run brought from between two ids, are still here and no longer there.
 * @param afterId null: from the beginning
 * @param lastId null: to the end
 * @param present the ids that are still there
 */
export async function findGoneAccounts(
  db: Database,
  afterId: string | null,
  lastId: string | null,
  present: readonly string[],
): Promise<string[]> {
  const rows = await db.run<{ id: string }>('import.gone_users', [afterId, lastId, present]);
  return rows.map(({ id }) => id);
}
