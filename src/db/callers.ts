/** Who is behind a bearer token. */
import { knownAccount, rememberAccount } from './known-accounts.js';
import type { Database } from './types.js';
import type { UserResult, UserRow } from './users.js';

/** One caller; the account is shared by all requests that find it unchanged, so nobody may change it. */
export interface CallerRow {
  readonly user: Readonly<UserRow>;
  readonly is_banned: boolean;
  readonly has_session: boolean;
}

type CallerResult = UserResult & Omit<CallerRow, 'user'> & { version: string };

/** @returns undefined when there is no such account */
export async function findCaller(
  db: Database,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  const known = sessionId === null ? undefined : knownAccount(db, userId);
  if (known !== undefined) {
    const [change] = await db.run('users.known_caller', [userId, sessionId, known.version]);
    if (change === undefined) return { user: known.user, is_banned: false, has_session: true };
  }
  const [row] = await db.run<CallerResult>('users.caller', [userId, sessionId]);
  if (row === undefined) return undefined;
  const { version, is_banned, has_session } = row;
  return { user: rememberAccount(db, version, row).user, is_banned, has_session };
}
