/** The statements of sql/queries/oauth-grants.sql. */
import type { OauthClientRow } from './oauth-clients.js';
import type { Statements } from './types.js';

export interface GrantRow {
  readonly scopes: readonly string[];
  readonly granted_at: string;
  readonly client: OauthClientRow;
}

/** Newest first. */
export const listGrantsOf = (db: Statements, userId: string): Promise<GrantRow[]> =>
  db.run<GrantRow>('oauth-grants.of_user', [userId]);

/**
 * With the sessions and requests of the client. Call it with the account locked.
 * @returns false when there is no such grant
 */
export async function revokeGrantOf(
  db: Statements,
  userId: string,
  clientId: string,
  audit: readonly object[],
): Promise<boolean> {
  const values = [userId, clientId, JSON.stringify(audit)];
  return (await db.run('oauth-grants.revoke', values)).length > 0;
}
