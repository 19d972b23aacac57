import { onceEach } from '../../caching/once-each.js';
import { type CallerRow, findCaller } from '../../db/callers.js';
import type { UserRow } from '../../db/users.js';
import type { App } from '../app.js';
import { refuse } from '../errors.js';
import { type AccessTokenClaims, verifyAccessToken } from './access-token.js';
import { isUuid, NIL_UUID } from './uuid.js';

/** A person behind a bearer token. */
export interface UserCaller {
  readonly claims: AccessTokenClaims;
  readonly user: Readonly<UserRow>;
  readonly sessionId: string | null;
  /** False for a token without a session, and for one whose session has ended where that is not asked for. */
  readonly hasSession: boolean;
}

/** An operator: whoever holds a token with an admin role. */
export interface AdminCaller {
  readonly claims: AccessTokenClaims;
  readonly role: string;
  /** The account the token names; null for a token made by hand. */
  readonly subject: string | null;
}

/**
 * The one path of authorization (SEC-59): verifies the bearer token and finds who it speaks for.
 * @param token of the Authorization header (http/bearer.ts)
 * @param audience value of X-JWT-AUD, if sent
 * @param mayLag what is read of the account may come from a replica
 * @throws Refusal as reference/core.md 1.9, in that order
 */
export async function authenticateUser(
  app: Pick<App, 'config' | 'db' | 'replica' | 'keys'>,
  token: string,
  audience: string | undefined,
  mayLag = false,
): Promise<UserCaller> {
  const claims = verifyBearer(app, token);
  const { sub, sessionId } = readSubject(claims);

  const caller =
    (mayLag ? await findOnReplica(app, sub, sessionId) : undefined) ?? (await findCaller(app.db, sub, sessionId));
  assertMayCall(app, caller, sessionId);
  const { user, has_session: hasSession } = caller;
  assertAudience(claims, audience || user.aud);
  return { claims, user, sessionId, hasSession };
}

/**
 * Only good news is taken from a replica. Somebody it does not know, or knows as banned or signed out, may have signed
 * up or in since: the primary decides.
 */
async function findOnReplica(
  { replica }: Pick<App, 'replica'>,
  userId: string,
  sessionId: string | null,
): Promise<CallerRow | undefined> {
  const database = replica?.fresh();
  if (!database) return undefined;
  try {
    const caller = await findCaller(database, userId, sessionId);
    const isGood = caller !== undefined && !caller.is_banned && (sessionId === null || caller.has_session);
    return isGood ? caller : undefined;
  } catch {
    replica?.distrust();
    return undefined;
  }
}

/** @throws Refusal notAdmin and those of {@link authenticateUser} that concern the token and its account */
export async function authenticateAdmin(app: Pick<App, 'config' | 'db' | 'keys'>, token: string): Promise<AdminCaller> {
  const claims = verifyBearer(app, token);
  if (!hasAdminRole(app, claims)) throw refuse('notAdmin');
  // A token made by hand names no account; one that does must name one that may still act (SEC-53).
  const subject = claims.sub !== undefined && isUuid(claims.sub) && claims.sub !== NIL_UUID ? claims.sub : null;
  if (subject !== null) {
    const sessionId = readSessionId(claims);
    assertMayCall(app, await findCaller(app.db, subject, sessionId), sessionId);
  }
  return { claims, role: claims.role ?? '', subject };
}

/**
 * Whether a token lets its holder see how the server is (SEC-97). Asks no database, since that may be what is wrong: an
 * operator who was banned meanwhile still sees it.
 */
export function isOperator(app: Pick<App, 'config' | 'keys'>, token: string | null): boolean {
  if (token === null) return false;
  try {
    return hasAdminRole(app, verifyBearer(app, token));
  } catch {
    return false;
  }
}

/** The one rule of who is an operator: the role claim of a verified token, among AUTH_JWT_ADMIN_ROLES (SEC-95). */
export function hasAdminRole({ config }: Pick<App, 'config'>, claims: AccessTokenClaims): boolean {
  return config.jwtAdminRoles.includes(claims.role ?? '');
}

/**
 * Who links an identity, by a session that lives: a token that outlived its session, or never had one, links nothing.
 * @throws Refusal sessionNotFound
 */
export function linkTargetOf({ user, sessionId, hasSession }: UserCaller): { userId: string; sessionId: string } {
  if (sessionId === null || !hasSession) throw refuse('sessionNotFound');
  return { userId: user.id, sessionId };
}

function assertMayCall(
  { config }: Pick<App, 'config'>,
  caller: CallerRow | undefined,
  sessionId: string | null,
): asserts caller is CallerRow {
  if (caller === undefined) throw refuse('subjectNotFound');
  if (caller.is_banned) throw refuse('userBanned');
  if (sessionId !== null && !caller.has_session && config.sessionsCheckAccessToken) throw refuse('sessionNotFound');
}

function verifyBearer({ keys }: Pick<App, 'keys'>, token: string): AccessTokenClaims {
  const nowMs = Date.now();
  return verifyAccessToken(token, keys.accessToken.accepted(nowMs), Math.floor(nowMs / 1000));
}

/** Looked at once for a token: one that is sent again has the same claims (access-token.ts). */
const readSubject = onceEach((claims: AccessTokenClaims) => {
  const { sub } = claims;
  if (!sub) throw refuse('missingSubject');
  if (!isUuid(sub)) throw refuse('subjectNotUuid');
  return { sub, sessionId: readSessionId(claims) };
});

function readSessionId(claims: AccessTokenClaims): string | null {
  const id = claims.session_id;
  if (!id || id === NIL_UUID) return null;
  if (!isUuid(id)) throw refuse('sessionIdNotUuid');
  return id;
}

function assertAudience(claims: AccessTokenClaims, audience: string): void {
  const { aud } = claims;
  const isMeant = typeof aud === 'string' ? aud === audience : (aud?.includes(audience) ?? false);
  if (!isMeant) throw refuse('audienceMismatch');
}
