/** The account and session of a bearer token. */
import { cacheAccount, cachedAccount } from './account-cache.js';
import type { Database } from './types.js';
import type { UserResult, UserRow } from './user-rows.js';

/** The account is shared by requests that find it unchanged, so it must not be mutated. */
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
  const known = sessionId === null ? undefined : cachedAccount(db, userId);
  if (known !== undefined) {
    const [change] = await db.run('users.known_caller', [userId, sessionId, known.version]);
    if (change === undefined) return { user: known.user, is_banned: false, has_session: true };
  }
  const [row] = await db.run<CallerResult>('users.caller', [userId, sessionId]);
  if (row === undefined) return undefined;
  const { version, is_banned, has_session } = row;
  return { user: cacheAccount(db, version, row).user, is_banned, has_session };
}
