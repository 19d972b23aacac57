/** Log-outs: the statements that end sessions in sql/queries/sessions.sql. */
import type { Statements } from './types.js';

/** `local`: the caller's session only. */
export type LogoutScope = 'global' | 'local' | 'others';

/** A session that began at the identity provider of a company. */
export interface EndedSsoSession {
  readonly provider_id: string;
  /** By which name the provider knows it. */
  readonly saml: {
    readonly session_index: string | null;
    readonly name_id: string | null;
    readonly name_id_format: string | null;
  };
}

/**
 * Ends one session, or writes the audit entries only where it has ended before.
 * @returns the session, if it began at a company
 */
export async function endOwnSession(
  db: Statements,
  userId: string,
  sessionId: string,
  audit: readonly object[],
): Promise<EndedSsoSession | null> {
  const values = [userId, sessionId, JSON.stringify(audit)];
  return (await db.run<{ sso: EndedSsoSession | null }>('sessions.end_own_session', values))[0]!.sso;
}

/**
 * Ends all sessions of a user, or all but the caller's. Call it with the account locked.
 * @returns the number of sessions that ended, without the caller's; and that of the caller, if it has ended and began at a
 *   company
 */
export async function endSessions(
  statements: Statements,
  userId: string,
  sessionId: string | null,
  scope: Exclude<LogoutScope, 'local'>,
  audit: readonly object[],
): Promise<{ readonly others: number; readonly sso: EndedSsoSession | null }> {
  const values = [userId, sessionId, scope, JSON.stringify(audit)];
  return (await statements.run<{ others: number; sso: EndedSsoSession | null }>('sessions.end_sessions', values))[0]!;
}
