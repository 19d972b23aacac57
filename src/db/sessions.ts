/** Typed doors to sql/queries/sessions.sql. */
import { knownSession, rememberSession, type SessionNews } from './known-accounts.js';
import type { Database, Statements } from './types.js';
import { type Channel, runForUser, type SessionFacts, type SignedInRow, type UserRow } from './users.js';

export interface OpenSessionInput {
  userId: string;
  /** The hash the password was checked against; another one by now means the sign-in no longer counts. */
  checkedHash: string | null;
  renewedHash: string | null;
  method: string;
  /** Who failed sign-ins are counted for: the count ends, unless it has brought a delay meanwhile. Null: nobody. */
  failureKey?: string | null;
  userAgent: string | null;
  ip: string | null;
  audit: readonly object[];
}

/** @returns undefined when the account was banned, deleted, delayed or given another password meanwhile */
export async function insertSession(db: Database, input: OpenSessionInput): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(db, 'sessions.open_session', [
    input.userId,
    input.checkedHash,
    input.renewedHash,
    input.method,
    input.userAgent,
    input.ip,
    JSON.stringify(input.audit),
    input.failureKey ?? null,
  ]);
}

export async function confirmAndInsertSession(
  db: Database,
  input: Omit<OpenSessionInput, 'renewedHash' | 'method' | 'failureKey'> & { channel: Channel },
): Promise<SignedInRow | undefined> {
  return runForUser<SignedInRow>(db, 'sessions.confirm_and_open_session', [
    input.userId,
    input.checkedHash,
    input.channel,
    input.userAgent,
    input.ip,
    JSON.stringify(input.audit),
  ]);
}

/** How long a session may live and idle, and whether a newer one ends it; null: no bound. */
export interface SessionBounds {
  timeboxSeconds: number | null;
  inactivitySeconds: number | null;
  /** Of each of these tags a user may have one session; empty: one in all. */
  singlePerTag: readonly string[] | null;
}

/** A session and whose it is; both may be shared by other requests (known-accounts.ts). */
export interface OwnedSession {
  readonly session: SessionFacts;
  readonly generation: number;
  readonly user: Readonly<UserRow>;
}

/**
 * Not async, as it stands between two that are: a promise in a promise takes more turns of the microtask queue.
 * @returns the session one generation on, or undefined when anything at all is wrong
 */
export function redeemGeneration(
  db: Database,
  { sessionId, generation }: { sessionId: string; generation: number },
  client: { userAgent: string | null; ip: string | null },
  bounds: SessionBounds,
): Promise<OwnedSession | undefined> {
  const known = knownSession(db, sessionId);
  const values = [
    sessionId,
    generation,
    client.userAgent,
    client.ip,
    bounds.timeboxSeconds,
    bounds.inactivitySeconds,
    bounds.singlePerTag?.join(',') ?? null,
    known?.account.version ?? null,
  ];
  return db.run<{ news: SessionNews | null }>('sessions.redeem_refresh_token', values).then(([row]) => {
    if (row === undefined) return undefined;
    const { account, facts } = row.news === null ? known! : rememberSession(db, sessionId, row.news);
    return { session: facts, generation: generation + 1, user: account.user };
  });
}

export type RefreshState = SignedInRow & {
  is_revoked: boolean;
  ended_by_ban: boolean;
  is_banned: boolean;
  is_within_reuse_interval: boolean;
  is_expired: boolean;
  is_inactive: boolean;
  is_superseded: boolean;
};

export async function readRefreshState(
  db: Database,
  sessionId: string,
  reuseIntervalSeconds: number,
  bounds: SessionBounds,
): Promise<RefreshState | undefined> {
  return runForUser<RefreshState>(db, 'sessions.refresh_state', [
    sessionId,
    reuseIntervalSeconds,
    bounds.timeboxSeconds,
    bounds.inactivitySeconds,
    bounds.singlePerTag?.join(',') ?? null,
  ]);
}

export async function revokeSession(db: Database, sessionId: string): Promise<void> {
  await db.run('sessions.revoke_session', [sessionId]);
}

export type LogoutScope = 'global' | 'local' | 'others';

/** In a transaction that has locked the account. */
export async function endSessions(
  statements: Statements,
  userId: string,
  sessionId: string | null,
  scope: LogoutScope,
  audit: readonly object[],
): Promise<void> {
  await statements.run('sessions.end_sessions', [userId, sessionId, scope, JSON.stringify(audit)]);
}
