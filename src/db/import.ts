/** Typed door to sql/queries/import.sql. */
import type { Database } from './types.js';
import type { Metadata } from './users.js';

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
}

/**
 * `there`: an account has that id already. `email`, `phone`, `identity`: another account holds it. `raced`: it was taken
 * while the batch ran, or twice in it.
 */
export type ImportVerdict = 'imported' | 'there' | 'email' | 'phone' | 'identity' | 'raced';

/** @returns a verdict for each account, in order */
export async function importUsers(db: Database, accounts: readonly ImportAccount[]): Promise<ImportVerdict[]> {
  const users = accounts.map(({ user }, position) => ({ position, ...user }));
  const identities = accounts.flatMap((account) =>
    account.identities.map((identity) => ({ user_id: account.user.id, ...identity })),
  );
  const rows = await db.run<{ position: number; verdict: ImportVerdict }>('import.users', [
    JSON.stringify(users),
    JSON.stringify(identities),
  ]);
  const verdicts: ImportVerdict[] = [];
  for (const { position, verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}
