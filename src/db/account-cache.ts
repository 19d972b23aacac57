/** Accounts as last read, per database: a version is meaningless in another database. */
import { lruByOwner } from '../caching/lru.js';
import type { Database } from './types.js';
import { type SessionFacts, toUserRow, type UserResult, type UserRow } from './user-rows.js';

/** An account and its version, shared by requests that find it unchanged; it must not be mutated. */
export interface CachedAccount {
  readonly version: string;
  readonly user: Readonly<UserRow>;
}

/** A session of a cached account. */
export interface CachedSession {
  readonly account: CachedAccount;
  readonly facts: SessionFacts;
  /** Of the account, of the facts, and of the organization that the session acts for. */
  readonly version: string;
}

/** What a refresh returns when the caller's version of the account is outdated or missing. */
export type SessionNews = UserResult &
  Pick<SessionFacts, 'aal' | 'amr' | 'client' | 'organization'> & {
    /** Of the account. */
    version: string;
    facts_version: number;
  };

/** About 8 MB per thread: an account with one identity takes 3 to 4 kB. */
const MAX_ACCOUNTS = 2048;
/** Of metadata and identities, which an operator may fill up to 1 MiB. */
const MAX_CHARACTERS = 4 * 1_048_576;
/** Several per account. */
const MAX_SESSIONS = 4 * MAX_ACCOUNTS;

/**
 * A cached account is never stale: the statement that checks ban and session also compares the version. The cache saves
 * serialising, sending and parsing unchanged accounts.
 */
const accountsOf = lruByOwner<Database, CachedAccount>({
  maxEntries: MAX_ACCOUNTS,
  maxCharacters: MAX_CHARACTERS,
  countCharacters: ({ user }) => JSON.stringify([user.app_metadata, user.user_metadata, user.identities]).length,
});

interface SessionEntry {
  readonly userId: string;
  /** Version of the account when the facts were read. */
  readonly version: string;
  /** Counts the changes of the facts (migration 00077). */
  readonly factsVersion: number;
  readonly facts: SessionFacts;
}

const sessionsOf = lruByOwner<Database, SessionEntry>({
  maxEntries: MAX_SESSIONS,
  maxCharacters: MAX_SESSIONS,
  countCharacters: () => 1,
});

export const cachedAccount = (db: Database, userId: string): CachedAccount | undefined => accountsOf(db).get(userId);

/** The session, if it was read with the cached version of its account. */
export function cachedSession(db: Database, sessionId: string): CachedSession | undefined {
  const session = sessionsOf(db).get(sessionId);
  if (session === undefined) return undefined;
  const account = cachedAccount(db, session.userId);
  if (account?.version !== session.version) return undefined;
  return { account, facts: session.facts, version: sessionVersion(session) };
}

/** @param version of the returned account */
export function cacheAccount(db: Database, version: string, row: UserResult): CachedAccount {
  const user = Object.freeze(toUserRow(row.user, row.identities));
  const account = { version, user };
  accountsOf(db).set(user.id, account);
  return account;
}

/** Caches the account and session that a refresh has returned. */
export function cacheSession(db: Database, sessionId: string, news: SessionNews): CachedSession {
  const { version, facts_version: factsVersion, aal, amr, client = null, organization = null } = news;
  const known = cachedAccount(db, news.user.id);
  const account = known?.version === version ? known : cacheAccount(db, version, news);
  const facts: SessionFacts = Object.freeze({ session_id: sessionId, aal, amr, client, organization });
  const entry = { userId: account.user.id, version, factsVersion, facts };
  sessionsOf(db).set(sessionId, entry);
  return { account, facts, version: sessionVersion(entry) };
}

/** As sessions.redeem_refresh_token makes it. */
function sessionVersion({ version, factsVersion, facts: { organization } }: SessionEntry): string {
  const own = `${version} ${factsVersion}`;
  return organization ? `${own} ${organization.id} ${organization.version}` : own;
}
