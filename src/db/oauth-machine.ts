/** The statements of sql/queries/oauth-machine.sql. */
import type { Database, Statements } from './types.js';

/**
 * @param expiresAt of the token, in seconds since the epoch
 * @returns false when it was revoked before
 */
export async function revokeMachineToken(
  db: Statements,
  id: string,
  expiresAt: number,
  audit: readonly object[],
): Promise<boolean> {
  return (await db.run('oauth-machine.revoke', [id, expiresAt, JSON.stringify(audit)])).length > 0;
}

export async function isMachineTokenRevoked(db: Database, id: string): Promise<boolean> {
  return (await db.run('oauth-machine.revoked', [id])).length > 0;
}
