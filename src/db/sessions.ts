/** The statements of sql/queries/sessions.sql. */
import { type CachedSession, cacheSession, type SessionNews } from './account-cache.js';
import type { Database, Statements } from './types.js';
import {
  type AmrEntry,
  type Channel,
  runForUser,
  type SessionFacts,
  type SignedInRow,
  type UserRow,
} from './user-rows.js';

export interface OpenSessionInput {
  userId: string;
  /** The hash that the password was checked against. If it has changed, the sign-in is rejected. */
  checkedHash: string | null;
  renewedHash: string | null;
  method: string;
  /** Key of the counter of failed sign-ins. It is reset unless it has caused a delay in the meantime. Null: none. */
  failureKey?: string | null;
  userAgent: string | null;
  ip: string | null;
  audit: readonly object[];
}

/** @returns undefined when the account was banned, deleted, delayed or got another password in the meantime */
export async function insertSession(db: Statements, input: OpenSessionInput): Promise<SignedInRow | undefined> {
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

/** Limits of a session's age and idle time, and whether a newer session ends it; null: no limit. */
export interface SessionBounds {
  timeboxSeconds: number | null;
  inactivitySeconds: number | null;
  /** A user may have one session per tag; empty: one in total. */
  singlePerTag: readonly string[] | null;
}

/** The client of a request to the token endpoint, as it was authenticated. */
export interface KnownClient {
  readonly id: string;
  readonly version: number;
}

/** The same at a refresh. */
export interface RefreshingClient extends KnownClient {
  /** Thumbprint of the key that a public client has proven (RFC 9449 5); null: of none, or the client has a secret. */
  readonly jkt: string | null;
  /** The only organization that the client serves; null: it serves all users. */
  readonly organizationId: string | null;
}

/** A session and its account; other requests may share both (account-cache.ts). */
export interface OwnedSession {
  readonly session: SessionFacts;
  readonly generation: number;
  readonly user: Readonly<UserRow>;
}

/** What must hold for a refresh token to be redeemed, beside the token itself. */
export interface RedemptionRules {
  readonly bounds: SessionBounds;
  /** The account must not have changed since (its updated_at); null: it may have. */
  readonly renewedAt: string | null;
  /** Whose session it must be; null: the user's own. */
  readonly oauthClient: RefreshingClient | null;
}

/**
 * Not async: wrapping the promise would take more microtasks.
 * @param known the session as last read (cachedSession)
 * @returns the session with the next generation, made of the objects of `known` if nothing of it has changed; undefined
 *   when it cannot be refreshed, for any reason
 */
export function redeemGeneration(
  db: Database,
  { sessionId, generation }: { sessionId: string; generation: number },
  client: { userAgent: string | null; ip: string | null },
  rules: RedemptionRules,
  known: CachedSession | undefined,
): Promise<OwnedSession | undefined> {
  const values = [sessionId, generation, client.userAgent, client.ip, known?.version ?? null, renderConditions(rules)];
  return db.run<{ news: SessionNews | null }>('sessions.redeem_refresh_token', values).then(([row]) => {
    if (row === undefined) return undefined;
    const { account, facts } = row.news === null ? known! : cacheSession(db, sessionId, row.news);
    return { session: facts, generation: generation + 1, user: account.user };
  });
}

/** @returns null where there are none, as with the defaults: then the statement reads nothing of them */
function renderConditions({ bounds, renewedAt, oauthClient }: RedemptionRules): string | null {
  const { timeboxSeconds, inactivitySeconds, singlePerTag } = bounds;
  if ((timeboxSeconds ?? inactivitySeconds ?? singlePerTag ?? renewedAt ?? oauthClient) === null) return null;
  return JSON.stringify({
    timebox_seconds: timeboxSeconds ?? undefined,
    inactivity_seconds: inactivitySeconds ?? undefined,
    tags: singlePerTag?.join(','),
    account_updated_at: renewedAt ?? undefined,
    client_id: oauthClient?.id,
    client_version: oauthClient?.version,
    jkt: oauthClient?.jkt ?? undefined,
  });
}

export type RefreshState = SignedInRow & {
  oauth_client_id: string | null;
  is_revoked: boolean;
  ended_by_ban: boolean;
  is_banned: boolean;
  is_within_reuse_interval: boolean;
  /** A second factor raised it within the reuse interval. */
  is_just_raised: boolean;
  /** Since the session was opened. */
  age_seconds: number;
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

/** @returns false when it was revoked before */
export async function revokeSession(db: Statements, sessionId: string): Promise<boolean> {
  return (await db.run('sessions.revoke_session', [sessionId])).length === 1;
}

/** A session as its user sees it. */
export interface ListedSession {
  readonly id: string;
  readonly created_at: string;
  /** Null: never. */
  readonly refreshed_at: string | null;
  readonly aal: string;
  readonly amr: readonly AmrEntry[];
  readonly user_agent: string | null;
  readonly ip: string | null;
  /** The client that has the session on behalf of the user; null: the user's own. */
  readonly oauth_client_id: string | null;
  readonly oauth_client_name: string | null;
  /** Name of the operator of the console who acts for the user; null: nobody does. */
  readonly operator: string | null;
}

/** @returns the valid sessions of a user, those used last first */
export const readSessionsOf = (
  db: Database,
  userId: string,
  { timeboxSeconds, inactivitySeconds }: Pick<SessionBounds, 'timeboxSeconds' | 'inactivitySeconds'>,
  limit: number,
): Promise<readonly ListedSession[]> =>
  db.run<ListedSession>('sessions.of_user', [userId, timeboxSeconds, inactivitySeconds, limit]);

/** Who acts for a user: an operator of the console. */
export interface ActingOperator {
  /** Id. */
  readonly sub: string;
  readonly name: string;
}

export interface ActingSession {
  readonly id: string;
  readonly userId: string;
  /** `updated_at` of the account as it was read. */
  readonly unchangedSince: string;
  readonly lifeSeconds: number;
  readonly act: ActingOperator;
}

/** Call it with the account locked. @returns false when the account has been changed since it was read */
export async function openActingSession(
  statements: Statements,
  { id, userId, unchangedSince, lifeSeconds, act }: ActingSession,
  audit: readonly object[],
): Promise<boolean> {
  const values = [id, userId, unchangedSince, lifeSeconds, JSON.stringify(act), JSON.stringify(audit)];
  return (await statements.run('sessions.open_for_operator', values)).length === 1;
}

/** Call it with the account locked. @returns false when the user has no such session */
export async function endSessionOf(
  statements: Statements,
  userId: string,
  sessionId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await statements.run('sessions.end_session_of', [sessionId, userId, JSON.stringify(audit)])).length === 1;
}
