/** Accounts as they were last read, by database: a version of one means nothing in another. */
import { lruByOwner } from '../caching/lru.js';
import type { Database } from './types.js';
import { readUser, type SessionFacts, type UserResult, type UserRow } from './users.js';

/** An account and its version; shared by all requests that find it unchanged, so nobody may change it. */
export interface KnownAccount {
  readonly version: string;
  readonly user: Readonly<UserRow>;
}

/** A session of a known account. */
export interface KnownSession {
  readonly account: KnownAccount;
  readonly facts: SessionFacts;
}

/** What a refresh returns that was told another version than the account has, or none. */
export type SessionNews = UserResult & Pick<SessionFacts, 'aal' | 'amr'> & { version: string };

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

interface ReadSession {
  readonly userId: string;
  /** Of the account when the facts were read: a change of them gives it another (migration 00004). */
  readonly version: string;
  readonly facts: SessionFacts;
}

const sessionsOf = lruByOwner<Database, ReadSession>({
  most: MOST_SESSIONS,
  mostCharacters: MOST_SESSIONS,
  countCharacters: () => 1,
});

export const knownAccount = (db: Database, userId: string): KnownAccount | undefined => accountsOf(db).get(userId);

/** A session, if it is known as of the version its account is known by. */
export function knownSession(db: Database, sessionId: string): KnownSession | undefined {
  const session = sessionsOf(db).get(sessionId);
  if (session === undefined) return undefined;
  const account = knownAccount(db, session.userId);
  return account?.version === session.version ? { account, facts: session.facts } : undefined;
}

/** @param version of the account a statement has returned */
export function rememberAccount(db: Database, version: string, row: UserResult): KnownAccount {
  const user = Object.freeze(readUser(row.user, row.identities));
  const account = { version, user };
  accountsOf(db).set(user.id, account);
  return account;
}

/** Reads what a refresh has returned, and remembers it. */
export function rememberSession(db: Database, sessionId: string, news: SessionNews): KnownSession {
  const { version, aal, amr } = news;
  const known = knownAccount(db, news.user.id);
  const account = known?.version === version ? known : rememberAccount(db, version, news);
  const facts: SessionFacts = Object.freeze({ session_id: sessionId, aal, amr });
  sessionsOf(db).set(sessionId, { userId: account.user.id, version, facts });
  return { account, facts };
}
