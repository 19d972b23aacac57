/** Where the account and the session of a token are looked up. */
import { type CallerRow, findCaller } from '../../db/callers.js';
import { isAccessTokenRevoked } from '../../db/oauth-sessions.js';
import type { Database } from '../../db/types.js';
import type { App } from '../runtime/app.js';
import type { AccessTokenClaims } from './access-token.js';

/** Whether an OAuth client got the token, on behalf of its user. */
export const isClientToken = (claims: AccessTokenClaims): boolean => claims['client_id'] !== undefined;

/** Whether an operator of the console acts for the user (RFC 8693, 4.1). */
export const isImpersonated = (claims: AccessTokenClaims): boolean => claims['act'] !== undefined;

/**
 * A revoked token of a client counts as one without a session. Tokens of users cannot be revoked, and cost nothing here:
 * not async, since a promise in a promise takes more microtasks.
 */
export function findTokenCaller(
  db: Database,
  claims: AccessTokenClaims,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  return sessionId === null || !isClientToken(claims)
    ? findCaller(db, userId, sessionId)
    : findClientCaller(db, claims, userId, sessionId);
}

async function findClientCaller(
  db: Database,
  claims: AccessTokenClaims,
  userId: string,
  sessionId: string,
): Promise<CallerRow | undefined> {
  const [row, isRevoked] = await Promise.all([
    findCaller(db, userId, sessionId),
    isAccessTokenRevoked(db, sessionId, issuedAt(claims)),
  ]);
  return row && isRevoked ? { ...row, has_session: false } : row;
}

/** Seconds since the epoch. */
export const issuedAt = ({ iat }: AccessTokenClaims): number => (typeof iat === 'number' ? iat : 0);

/**
 * An account that is missing, banned or signed out on the replica may have changed since: then the primary decides.
 */
export async function findOnReplica(
  { replica }: Pick<App, 'replica'>,
  claims: AccessTokenClaims,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  const database = replica?.usable();
  if (!database) return undefined;
  try {
    const caller = await findTokenCaller(database, claims, userId, sessionId);
    const mayCall = caller !== undefined && !caller.is_banned && (sessionId === null || caller.has_session);
    return mayCall ? caller : undefined;
  } catch {
    replica?.markFailed();
    return undefined;
  }
}
