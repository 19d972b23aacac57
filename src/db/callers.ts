/** Who is behind a bearer token. */
import { knownAccount, readVersioned, type VersionedResult } from './known-accounts.js';
import type { Database } from './types.js';
import type { UserRow } from './users.js';

/** One caller; the account is shared by all requests that find it unchanged, so nobody may change it. */
export interface CallerRow {
  readonly user: Readonly<UserRow>;
  readonly is_banned: boolean;
  readonly has_session: boolean;
}

/** @returns undefined when there is no such account */
export async function findCaller(
  db: Database,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  const known = knownAccount(db, userId);
  const [row] = await db.run<VersionedResult & Omit<CallerRow, 'user'>>('users.caller', [
    userId,
    sessionId,
    known?.version ?? null,
  ]);
  if (row === undefined) return { user: known!.user, is_banned: false, has_session: true };
  if (row.version === null) return undefined;
  const { is_banned, has_session } = row;
  return { user: readVersioned(db, row, known), is_banned, has_session };
}
