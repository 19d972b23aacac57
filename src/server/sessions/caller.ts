import { memoize } from '../../caching/memoize.js';
import { type CallerRow, findCaller } from '../../db/callers.js';
import type { SessionFacts, UserRow } from '../../db/user-rows.js';
import { isUuid, NIL_UUID } from '../../db/uuid.js';
import { assertHolder, needsProof, type ProvingRequest } from '../dpop/bound-token.js';
import { apiError } from '../errors.js';
import type { CallerRules } from '../http/types.js';
import type { App } from '../runtime/app.js';
import { type AccessTokenClaims, verifyAccessToken } from './access-token.js';
import { isFactorMissing } from './enforcement.js';
import { findOnReplica, findTokenCaller, isClientToken, isImpersonated } from './find-caller.js';
import { assertHasNotLeft, namesOrganization } from './left-organization.js';
import { renderClaims } from './token-claims.js';

/** The user of a bearer token. */
export interface UserCaller {
  readonly claims: AccessTokenClaims;
  readonly user: Readonly<UserRow>;
  readonly sessionId: string | null;
  /** False without a session, and for an ended session where AUTH_SESSIONS_CHECK_ACCESS_TOKEN is off. */
  readonly hasSession: boolean;
}

/**
 * The only authorization of users (SEC-59): verifies the bearer token and reads its account.
 * @param token from the Authorization header
 * @param request for X-JWT-AUD, and for the proof of a token that is bound to a key
 * @param admits callers that the endpoint admits beside the usual ones
 * @throws ApiError badJwt, missingSubject, subjectNotUuid, subjectNotFound, userBanned, sessionNotFound,
 *   audienceMismatch, passwordResetRequired, factorRequired, clientTokenRefused, impersonationRefused, notAMember, and those
 *   of {@link assertHolder}
 */
export async function authenticateUser(
  app: Pick<App, 'config' | 'crypto' | 'db' | 'keys' | 'replica' | 'tokenKeys'>,
  token: string,
  request: ProvingRequest,
  admits: CallerRules = {},
): Promise<UserCaller> {
  const verified = verifyOwnToken(app, token);
  const claims = verified instanceof Promise ? await verified : verified;
  if (needsProof(claims, request)) await assertHolder(app, request, token, claims);
  const audience = request.header('x-jwt-aud');
  const { sub, sessionId, isLimited } = readSubjectClaims(claims);
  assertAdmitted(app, claims, isLimited, admits);
  const row =
    (admits.callerMayLag ? await findOnReplica(app, claims, sub, sessionId) : undefined) ??
    (await findTokenCaller(app.db, claims, sub, sessionId));
  const caller = admit(app, claims, sessionId, row, admits);
  if (namesOrganization(app, claims, admits)) await assertHasNotLeft(app, claims, caller.user);
  // The audience of a client's token is the resource that the client asked for.
  if (!isClientToken(claims) || audience) assertAudience(claims, audience || caller.user.aud);
  return caller;
}

/**
 * The same for a session that the server itself knows: that of a browser on the hosted pages. It must still exist.
 * @throws ApiError subjectNotFound, userBanned, sessionNotFound, passwordResetRequired, factorRequired, accessTokenTooLong
 */
export async function authenticateSession(
  app: Pick<App, 'config' | 'db'>,
  { userId, session }: { readonly userId: string; readonly session: SessionFacts },
  admits: CallerRules = {},
): Promise<UserCaller> {
  const row = await findCaller(app.db, userId, session.session_id);
  if (row === undefined) throw apiError('subjectNotFound');
  if (!row.has_session) throw apiError('sessionNotFound');
  const { payload } = renderClaims(row.user, session, app.config, Math.floor(Date.now() / 1000));
  const claims = JSON.parse(payload) as AccessTokenClaims;
  assertAdmitted(app, claims, isLimitedToken(claims), admits);
  return admit(app, claims, session.session_id, row, admits);
}

/**
 * An operator who acts for a user may see, and nothing else: what gets anybody into the account stays with the user.
 * @throws ApiError clientTokenRefused, impersonationRefused, passwordResetRequired, factorRequired
 */
function assertAdmitted(
  app: Pick<App, 'config'>,
  claims: AccessTokenClaims,
  isLimited: boolean,
  admits: CallerRules,
): void {
  if (!admits.callerMayBeClient && !mayManageAccount(app, claims)) throw apiError('clientTokenRefused');
  if (!admits.callerMayBeImpersonated && isImpersonated(claims)) throw apiError('impersonationRefused');
  if (isLimited && !admits.callerMayBeLimited) throw apiError('passwordResetRequired');
  if (claims.role === app.config.mfaPendingRole && !mayBePending(isLimited, admits)) throw apiError('factorRequired');
}

function admit(
  app: Pick<App, 'config'>,
  claims: AccessTokenClaims,
  sessionId: string | null,
  row: CallerRow | undefined,
  admits: CallerRules,
): UserCaller {
  assertMayCall(app, row, sessionId, claims);
  const { user, has_session: hasSession } = row;
  if (!mayBePending(isLimitedToken(claims), admits)) assertNotPending(app, claims, user);
  return { claims, user, sessionId, hasSession };
}

/** A leaked password is replaced first: until then its session can do nothing else, so it cannot enrol a factor either. */
const mayBePending = (isLimited: boolean, { callerMayBePending, callerMayBeLimited }: CallerRules): boolean =>
  callerMayBePending === true || (isLimited && callerMayBeLimited === true);

export const isActedFor = (claims: AccessTokenClaims): boolean => isClientToken(claims) || isImpersonated(claims);

/** Method of a session that a leaked password opened (AUTH_PASSWORD_LEAKED_ACTION). It can only set a new password. */
export const LEAKED_PASSWORD_METHOD = 'leaked_password';

/** Whether the session was opened or raised by one of the methods (RFC 8176; entries may be text). */
export function hasAuthenticatedBy({ claims }: Pick<UserCaller, 'claims'>, methods: readonly string[]): boolean {
  if (!Array.isArray(claims['amr'])) return false;
  return claims['amr'].some((entry: unknown) => {
    const method = typeof entry === 'string' ? entry : (entry as { method?: unknown } | null)?.method;
    return typeof method === 'string' && methods.includes(method);
  });
}

/** @returns when the session last proved who its user is, in seconds since the epoch; null: its token does not say */
export function newestProofSeconds({ claims }: Pick<UserCaller, 'claims'>): number | null {
  const entries: readonly unknown[] = Array.isArray(claims['amr']) ? claims['amr'] : [];
  const times = entries.flatMap((entry) => {
    const time = (entry as { timestamp?: unknown } | null)?.timestamp;
    return typeof time === 'number' ? time : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

/** A client's token is not its user (RFC 9700 2.3), unless OAUTH_SERVER_CLIENT_TOKENS_MANAGE_ACCOUNT says so. */
export const mayManageAccount = ({ config }: Pick<App, 'config'>, claims: AccessTokenClaims): boolean =>
  !isClientToken(claims) || config.oauthServerClientTokensManageAccount;

export const isLimitedToken = (claims: AccessTokenClaims): boolean =>
  hasAuthenticatedBy({ claims }, [LEAKED_PASSWORD_METHOD]);

/**
 * Account and session that link an identity. Tokens without an existing session cannot link. Neither can accounts of companies: the
 * identity would sign in after the company has removed the person.
 * @throws ApiError ssoLinking, sessionNotFound
 */
export function requireLinkTarget({ user, sessionId, hasSession }: UserCaller): { userId: string; sessionId: string } {
  if (user.is_sso_user) throw apiError('ssoLinking');
  if (sessionId === null || !hasSession) throw apiError('sessionNotFound');
  return { userId: user.id, sessionId };
}

export function assertMayCall(
  { config }: Pick<App, 'config'>,
  caller: CallerRow | undefined,
  sessionId: string | null,
  claims: AccessTokenClaims,
): asserts caller is CallerRow {
  if (caller === undefined) throw apiError('subjectNotFound');
  if (caller.is_banned) throw apiError('userBanned', {}, { about: { userId: caller.user.id } });
  // What a client or an operator may do ends with its session or its revocation (RFC 7009 2.1), not with its token.
  const mustExist = config.sessionsCheckAccessToken || isActedFor(claims);
  if (sessionId !== null && !caller.has_session && mustExist) {
    throw apiError('sessionNotFound', {}, { about: { userId: caller.user.id } });
  }
}

/** The account decides, too: the token may be older than the rule, or than the end of MFA_REQUIRED_GRACE. */
export function assertNotPending(
  { config }: Pick<App, 'config'>,
  claims: AccessTokenClaims,
  user: Readonly<UserRow>,
): void {
  const aal = String(claims['aal']);
  if (isFactorMissing(config, user, { aal }, Math.floor(Date.now() / 1000))) throw apiError('factorRequired');
}

function verifyBearer({ tokenKeys }: Pick<App, 'tokenKeys'>, token: string): AccessTokenClaims {
  const nowMs = Date.now();
  return verifyAccessToken(token, tokenKeys.accepted(nowMs), Math.floor(nowMs / 1000));
}

/**
 * Verifies a token. A key that is not known here may be one that another process has just added; only such a token waits.
 * @throws ApiError badJwt
 */
export function verifyOwnToken(
  app: Pick<App, 'tokenKeys'>,
  token: string,
): AccessTokenClaims | Promise<AccessTokenClaims> {
  try {
    return verifyBearer(app, token);
  } catch (error) {
    return app.tokenKeys.lookUp(token).then((isChanged) => {
      if (!isChanged) throw error;
      return verifyBearer(app, token);
    });
  }
}

/** Memoized: access-token.ts returns the same claims object for a repeated token. */
const readSubjectClaims = memoize((claims: AccessTokenClaims) => {
  const { sub } = claims;
  if (!sub) throw apiError('missingSubject');
  if (!isUuid(sub)) throw apiError('subjectNotUuid');
  const sessionId = readSessionId(claims);
  // An ID token names the client as well, and has the same signature. It says who signed in and opens nothing.
  if (isClientToken(claims) && sessionId === null) throw apiError('badJwt', { detail: 'not an access token' });
  return { sub, sessionId, isLimited: isLimitedToken(claims) };
});

export function readSessionId(claims: AccessTokenClaims): string | null {
  const id = claims.session_id;
  if (!id || id === NIL_UUID) return null;
  if (!isUuid(id)) throw apiError('sessionIdNotUuid');
  return id;
}

function assertAudience(claims: AccessTokenClaims, audience: string): void {
  const { aud } = claims;
  const isMatch = typeof aud === 'string' ? aud === audience : (aud?.includes(audience) ?? false);
  if (!isMatch) throw apiError('audienceMismatch');
}
