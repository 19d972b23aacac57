/** Typed door to sql/queries/password-kinds.sql. */
import type { Database } from './types.js';

/** How many accounts of a sample have a hash that begins so. */
export interface PasswordKind {
  /** What comes before salt and digest: `$argon2id$v=19$m=19456,t=2,p=1`, `$2b$10`, `$fbscrypt$v=1,n=14,r=8,p=1`. */
  readonly kind: string;
  readonly accounts: number;
}

/** Each tenfold the one before: what is read is bounded, however large the table is. */
const PERCENTAGES = [0.01, 0.1, 1, 10, 100];
/** So many accounts are enough: a share is then known to some two per cent. */
const ENOUGH_ACCOUNTS = 2_000;

/** Reads some 20,000 accounts at most. */
export async function samplePasswordKinds(db: Database): Promise<PasswordKind[]> {
  let rows: { kind: string | null; accounts: number }[] = [];
  for (const percentage of PERCENTAGES) {
    rows = await db.run<{ kind: string | null; accounts: number }>('password-kinds.sample', [percentage]);
    if (rows.reduce((sum, { accounts }) => sum + accounts, 0) >= ENOUGH_ACCOUNTS) break;
  }
  return rows.filter((row): row is PasswordKind => row.kind !== null);
}
