/** Accounts as they were last read, by database: a version of one means nothing in another. */
import { lruByOwner } from '../caching/lru.js';
import type { Database } from './types.js';
import { readUser, type UserResult, type UserRow } from './users.js';

/** An account and its version; shared by all requests that find it unchanged, so nobody may change it. */
export interface KnownAccount {
  readonly version: string;
  readonly user: Readonly<UserRow>;
}

/** How a refresh that was told a version returns an account; without the account when it still has that version. */
export type VersionedResult = ({ version: string } & UserResult) | { version: null; user: null };

/** Some 8 MB a thread: an account with one identity takes 3 to 4 kB. */
const MOST_ACCOUNTS = 2048;
/** Of metadata and identities, which an operator may fill to the mebibyte. */
const MOST_CHARACTERS = 4 * 1_048_576;
/** A few of each account. */
const MOST_SESSIONS = 4 * MOST_ACCOUNTS;

/**
 * What is known is never older than the answer it is used for, since the statement that asks for ban and session compares
 * the version, too. Saved is the writing, sending and reading of what has not changed.
 */
const accountsOf = lruByOwner<Database, KnownAccount>({
  most: MOST_ACCOUNTS,
  mostCharacters: MOST_CHARACTERS,
  countCharacters: ({ user }) => JSON.stringify([user.app_metadata, user.user_metadata, user.identities]).length,
});

/** Whose a session is, which a refresh token does not say. It never changes, only ends. */
const ownersOf = lruByOwner<Database, { readonly userId: string }>({
  most: MOST_SESSIONS,
  mostCharacters: MOST_SESSIONS,
  countCharacters: () => 1,
});

export const knownAccount = (db: Database, userId: string): KnownAccount | undefined => accountsOf(db).get(userId);

/** The account a session belongs to. */
export function knownOwner(db: Database, sessionId: string): KnownAccount | undefined {
  const owner = ownersOf(db).get(sessionId);
  return owner && knownAccount(db, owner.userId);
}

/** Reads what a refresh returned that was told the version of `known`, and remembers what is new. */
export function readVersioned(
  db: Database,
  row: VersionedResult,
  known: KnownAccount | undefined,
  sessionId: string,
): Readonly<UserRow> {
  if (row.user === null) return known!.user;
  const user = rememberAccount(db, row.version, row);
  ownersOf(db).set(sessionId, { userId: user.id });
  return user;
}

/** @param version of the account a statement has returned */
export function rememberAccount(db: Database, version: string, row: UserResult): Readonly<UserRow> {
  const user = Object.freeze(readUser(row.user, row.identities));
  accountsOf(db).set(user.id, { version, user });
  return user;
}
