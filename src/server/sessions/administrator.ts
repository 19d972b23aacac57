/** Who administers: the bearer of a token with a role of AUTH_JWT_ADMIN_ROLES whose session, if it has one, lives. */
import { findCaller } from '../../db/callers.js';
import { isUuid, NIL_UUID } from '../../db/uuid.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { AccessTokenClaims } from './access-token.js';
import {
  assertMayCall,
  assertNotPending,
  isActedFor,
  isLimitedToken,
  readSessionId,
  type UserCaller,
  verifyOwnToken,
} from './caller.js';

/** An administrator: the bearer of a token with a role of AUTH_JWT_ADMIN_ROLES. */
export interface AdminCaller {
  readonly claims: AccessTokenClaims;
  readonly role: string;
  /** Account of the token; null for a token without one, as `latchkey token` makes. */
  readonly subject: string | null;
}

/**
 * @throws ApiError notAdmin, factorRequired, sessionNotFound and those of `authenticateUser` that concern the token
 *   and its account
 */
export async function authenticateAdmin(
  app: Pick<App, 'config' | 'db' | 'tokenKeys'>,
  token: string,
): Promise<AdminCaller> {
  const claims = await verifyOwnToken(app, token);
  // An administrator whose second factor is missing has no role yet, and needs to know why.
  if (claims.role === app.config.mfaPendingRole) throw apiError('factorRequired');
  if (!hasAdminRole(app, claims)) throw apiError('notAdmin');
  // If the token names an account, that account must exist and not be banned (SEC-53).
  const subject = claims.sub !== undefined && isUuid(claims.sub) && claims.sub !== NIL_UUID ? claims.sub : null;
  const sessionId = readSessionId(claims);
  const row = subject === null ? undefined : await findCaller(app.db, subject, sessionId);
  if (subject !== null) assertMayCall(app, row, sessionId, claims);
  assertAdministers(app, { claims, sessionId, hasSession: row?.has_session === true });
  if (row !== undefined) assertNotPending(app, claims, row.user);
  return { claims, role: claims.role ?? '', subject };
}

/** How long {@link isAdminToken} waits for the session of an administrator. */
const ADMIN_LOOK_UP_MS = 1000;

/**
 * Whether a token may read the server's state (SEC-97). Only a token with an account or a session reads the database: such
 * a token counts for nothing while the database is down. Probes send none, or a service token.
 */
export async function isAdminToken(
  app: Pick<App, 'config' | 'db' | 'tokenKeys'>,
  token: string | null,
): Promise<boolean> {
  if (token === null) return false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ADMIN_LOOK_UP_MS);
  });
  const admitted = authenticateAdmin(app, token).then(
    () => true,
    () => false,
  );
  return Promise.race([admitted, late]).finally(() => clearTimeout(timer));
}

/**
 * The role claim of a verified token is in AUTH_JWT_ADMIN_ROLES (SEC-95). The token of an OAuth client or of an operator
 * who acts for a user is no administrator's, even if its user is one.
 */
function hasAdminRole({ config }: Pick<App, 'config'>, claims: AccessTokenClaims): boolean {
  return config.jwtAdminRoles.includes(claims.role ?? '') && !isLimitedToken(claims) && !isActedFor(claims);
}

/**
 * The only rule for administrators: the role, and where the token names a session, that the session has not ended, whatever
 * AUTH_SESSIONS_CHECK_ACCESS_TOKEN says (SEC-53). Service tokens have no session.
 * @throws ApiError sessionNotFound; the given one where the role is missing
 */
export function assertAdministers(
  app: Pick<App, 'config'>,
  { claims, sessionId, hasSession }: Pick<UserCaller, 'claims' | 'sessionId' | 'hasSession'>,
  refusal: 'notAdmin' | 'appMetadataNotAdmin' = 'notAdmin',
): void {
  if (!hasAdminRole(app, claims)) throw apiError(refusal);
  if (sessionId !== null && !hasSession) throw apiError('sessionNotFound', {}, { about: { userId: claims.sub } });
}
