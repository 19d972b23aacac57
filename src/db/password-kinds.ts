/** The statements of sql/queries/password-kinds.sql. */
import type { Database } from './types.js';

/** Number of accounts in a sample whose hash has this prefix. */
export interface PasswordKind {
  /** Everything before salt and digest: `$argon2id$v=19$m=19456,t=2,p=1`, `$2b$10`, `$fbscrypt$v=1,n=14,r=8,p=1`. */
  readonly kind: string;
  readonly accounts: number;
}

/** Each ten times the one before, so that the number of rows read is bounded for any table size. */
const PERCENTAGES = [0.01, 0.1, 1, 10, 100];
/** Enough to know a share within two per cent. */
const ENOUGH_ACCOUNTS = 2_000;

/** Reads about 20,000 accounts at most. */
export async function samplePasswordKinds(db: Database): Promise<PasswordKind[]> {
  let rows: { kind: string | null; accounts: number }[] = [];
  for (const percentage of PERCENTAGES) {
    rows = await db.run<{ kind: string | null; accounts: number }>('password-kinds.sample', [percentage]);
    if (rows.reduce((sum, { accounts }) => sum + accounts, 0) >= ENOUGH_ACCOUNTS) break;
  }
  return rows.filter((row): row is PasswordKind => row.kind !== null);
}
