/** The statements of sql/queries/oauth-sessions.sql. */
import type { SessionBounds } from './sessions.js';
import type { Database, Statements } from './types.js';
import type { ClientClaims, UserRow } from './user-rows.js';

/** The user of a session that has changed, for the audit log. */
export type SessionOwner = Pick<UserRow, 'id' | 'email' | 'phone'>;

/** A session as far as a client may name it. */
export interface ClientSession {
  readonly id: string;
  readonly clientId: string;
}

/** @returns the user; undefined when the client has no such session */
export async function endClientSession(
  db: Statements,
  { id, clientId }: ClientSession,
  audit: readonly object[],
): Promise<SessionOwner | undefined> {
  return (await db.run<SessionOwner>('oauth-sessions.end', [id, clientId, JSON.stringify(audit)]))[0];
}

/** Call it with the account locked. @returns whether there were any */
export async function endClientSessionsOf(
  db: Statements,
  userId: string,
  clientId: string,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('oauth-sessions.end_of_user', [userId, clientId, JSON.stringify(audit)])).length > 0;
}

/**
 * Revokes the access tokens of a session that were issued until a time.
 * @param issuedAt seconds since the epoch
 * @returns the user; undefined when the client has no such session, or they were revoked before
 */
export async function revokeAccessTokens(
  db: Statements,
  { id, clientId }: ClientSession,
  issuedAt: number,
  audit: readonly object[],
): Promise<SessionOwner | undefined> {
  const values = [id, clientId, issuedAt, JSON.stringify(audit)];
  return (await db.run<SessionOwner>('oauth-sessions.revoke_access_tokens', values))[0];
}

/** @param issuedAt seconds since the epoch */
export async function isAccessTokenRevoked(db: Database, sessionId: string, issuedAt: number): Promise<boolean> {
  return (await db.run('oauth-sessions.revoked_access_token', [sessionId, issuedAt])).length > 0;
}

/** A session of a client whose tokens may be active. */
export interface ActiveClientSession {
  readonly user_id: string;
  readonly oauth_client_id: string;
  readonly generation: number;
  readonly client: ClientClaims;
  /** When it ends by itself; seconds since the epoch. */
  readonly ends_at: number | null;
  /** Access tokens issued until then are revoked; seconds since the epoch. */
  readonly tokens_revoked_at: number | null;
  /** The one that it acts for; null: none. */
  readonly organization_id: string | null;
}

/** @returns undefined when session, user, client or consent has ended */
export async function readActiveSession(
  db: Database,
  sessionId: string,
  { timeboxSeconds, inactivitySeconds }: Pick<SessionBounds, 'timeboxSeconds' | 'inactivitySeconds'>,
): Promise<ActiveClientSession | undefined> {
  const values = [sessionId, timeboxSeconds, inactivitySeconds];
  return (await db.run<ActiveClientSession>('oauth-sessions.active', values))[0];
}
