/** Who is behind a bearer token. */
import { lruByOwner } from '../caching/lru.js';
import type { Database } from './types.js';
import { readUser, type UserResult, type UserRow } from './users.js';

/** One caller; the account is shared by all requests that find it unchanged, so nobody may change it. */
export interface CallerRow {
  readonly user: Readonly<UserRow>;
  readonly is_banned: boolean;
  readonly has_session: boolean;
}

interface KnownAccount {
  readonly version: string;
  readonly user: Readonly<UserRow>;
}

/** Some 8 MB a thread: an account with one identity takes 3 to 4 kB. */
const MOST_KNOWN = 2048;
/** Of metadata and identities, which an operator may fill to the mebibyte. */
const MOST_KNOWN_CHARACTERS = 4 * 1_048_576;

/**
 * Accounts as they were last read, by database: a version of one means nothing in another. What is known is never older
 * than the answer it is used for, since the statement that asks for ban and session compares the version, too. Saved is
 * the writing, sending and reading of what has not changed.
 */
const accountsOf = lruByOwner<Database, KnownAccount>({
  most: MOST_KNOWN,
  mostCharacters: MOST_KNOWN_CHARACTERS,
  countCharacters: ({ user }) => JSON.stringify([user.app_metadata, user.user_metadata, user.identities]).length,
});

/** @returns undefined when there is no such account */
export async function findCaller(
  db: Database,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  const accounts = accountsOf(db);
  const known = accounts.get(userId);
  type Row = Omit<CallerRow, 'user'> & { version: string | null } & (UserResult | { user: null });
  const [row] = await db.run<Row>('users.caller', [userId, sessionId, known?.version ?? null]);
  if (row === undefined) return { user: known!.user, is_banned: false, has_session: true };
  const { version, is_banned, has_session } = row;
  if (version === null) return undefined;
  if (row.user === null) return { user: known!.user, is_banned, has_session };
  const user = Object.freeze(readUser(row.user, row.identities));
  accounts.set(userId, { version, user });
  return { user, is_banned, has_session };
}
