import { insertMails } from '../../db/outbox.js';
import {
  type OwnedSession,
  type RedemptionRules,
  type RefreshingClient,
  type RefreshState,
  readRefreshState,
  revokeSession,
  type SessionBounds,
} from '../../db/sessions.js';
import type { UserRow } from '../../db/user-rows.js';
import { type AuditAction, auditEntry, logUnstoredAudit } from '../accounts/audit.js';
import { renderUser } from '../accounts/user-view.js';
import { apiError, type ErrorName, oauthApiError } from '../errors.js';
import { prepareNotices, recipientOf } from '../notices/notice.js';
import type { App, Client } from '../runtime/app.js';
import { keepAdmitted } from './admission.js';
import { decideClaims, rememberedClaims } from './decided-claims.js';
import { findMovedToken, type MovedToken } from './moved-token.js';
import { renderSessionClaims, renderTokensWithUser, sessionBounds } from './open.js';
import { type Redeemed, type RenderOwned, redeemAndSign, signOwned } from './redeem-and-sign.js';
import { openRefreshToken, type RefreshToken } from './refresh-token.js';
import { hasVerifiedFactor } from './verified-factor.js';

export const ROTATED: readonly AuditAction[] = ['token_refreshed', 'token_revoked'];
/** Of a token from just before a verification: two, and one more if the session has been refreshed since. */
const JUST_RAISED_GENERATIONS = 3;
export const REPEATED: readonly AuditAction[] = ['token_refreshed'];

/**
 * The refresh_token grant (RFC 6749 6) with rotation (RFC 9700 4.14). One statement decides. Only if it changes
 * nothing, the session is read for the reason.
 * @returns the token response as JSON
 * @throws ApiError refreshTokenNotFound, refreshTokenAlreadyUsed, refreshUserBanned, sessionExpired, organizationRequiresAal2 …
 */
export async function refreshTokens(app: App, client: Client, text: string): Promise<Uint8Array> {
  const own = openRefreshToken(text, app.keys.refreshToken.accepted(Date.now()));
  const token: RefreshToken | MovedToken = own ?? (await readMovedToken(app, text));
  if (app.hooks.customAccessToken !== null) return refreshWithHook(app, client, token);
  // The statement that redeems does not know of the rule, so that it costs nothing where it is off.
  if (app.config.sessionsAllowLowAalSeconds !== null) await checkToken(app, client, token);
  const render: RenderOwned = (owned) => renderSessionClaims(app, owned);
  const redeemed = await redeemAndSign(app, client, token, ownRules(app), render);
  // To await it takes a third of the microtasks that returning the promise does.
  if (redeemed !== undefined) return await answerRedeemed(app, client, token, redeemed);
  return answerAgain(app, client, token, render);
}

/** @throws ApiError refreshTokenNotFound */
export async function readMovedToken(app: App, text: string): Promise<MovedToken> {
  const token = await findMovedToken(app, text);
  if (token === undefined) throw apiError('refreshTokenNotFound', {}, { about: { reason: 'token_unknown' } });
  return token;
}

/**
 * The same where the hook decides the claims: read and check, ask the hook, redeem. A hook that fails leaves the token as
 * it was. The loser of a race between two redemptions answers with the winner's token. An answer in the cache needs no
 * look first: the statement redeems only if the account is still as it was for that answer.
 */
async function refreshWithHook(app: App, client: Client, token: RefreshToken | MovedToken): Promise<Uint8Array> {
  const remembered = app.hooks.customAccessToken!.recall(token.sessionId);
  if (remembered !== undefined) {
    if (app.config.sessionsAllowLowAalSeconds !== null) await checkToken(app, client, token);
    const rules = { ...ownRules(app), renewedAt: remembered.version };
    const redeemed = await redeemAndSign(app, client, token, rules, (owned) =>
      rememberedClaims(app, remembered, owned),
    );
    if (redeemed !== undefined) return answerRedeemed(app, client, token, redeemed);
  }
  const state = await checkToken(app, client, token);
  await keepAdmitted(app, ownedOf(state), state.generation);
  const claims = await decideClaims(app, client, state, state, 'token_refresh');
  const render: RenderOwned = () => claims;
  if (state.generation === token.generation) {
    const redeemed = await redeemAndSign(app, client, token, ownRules(app), render);
    if (redeemed !== undefined) return answerRedeemed(app, client, token, redeemed);
    return answerAgain(app, client, token, render);
  }
  return answerRefreshed(app, client, signOwned(app, token, ownedOf(state), render), REPEATED);
}

/** Of the sessions of users themselves. */
export const ownRules = (app: App): RedemptionRules => ({
  bounds: sessionBounds(app),
  renewedAt: null,
  oauthClient: null,
});

/** A client of the authorization server, and the limits of its sessions. */
export interface ClientSessions {
  readonly client: RefreshingClient;
  readonly bounds: SessionBounds;
}

/** The answer to a token that was not redeemed. @throws ApiError the reason, unless it may be repeated */
async function answerAgain(
  app: App,
  client: Client,
  token: RefreshToken | MovedToken,
  render: RenderOwned,
): Promise<Uint8Array> {
  const owned = await answerRepeatedToken(app, client, token);
  await keepAdmitted(app, owned, owned.generation);
  return answerRefreshed(app, client, signOwned(app, token, owned, render), REPEATED);
}

/**
 * The answer to a token that was redeemed.
 * @throws ApiError organizationRequiresAal2, organizationRequiresSso, organizationSessionExpired
 */
async function answerRedeemed(
  app: App,
  client: Client,
  { generation }: Pick<RefreshToken, 'generation'>,
  redeemed: Redeemed,
): Promise<Uint8Array> {
  const { owned } = redeemed;
  if (owned.session.organization?.policies) {
    // They may fail, too, and are not awaited where the session is refused.
    redeemed.tokens.catch(() => undefined);
    await keepAdmitted(app, owned, generation);
  }
  return await answerRefreshed(app, client, redeemed, ROTATED);
}

export async function answerRefreshed(
  app: App,
  client: Client,
  { owned, tokens }: Redeemed,
  audit: readonly AuditAction[],
): Promise<Uint8Array> {
  // docs/decisions.md, Refreshes in the audit log
  logUnstoredAudit(app, client.requestId, owned.user, audit);
  return renderTokensWithUser(await tokens, renderUser(owned.user));
}

const ownedOf = (state: RefreshState): OwnedSession => ({ user: state, session: state, generation: state.generation });

/**
 * @returns the session when the token is the previous one, within the reuse interval. That of an imported session that
 *   was never refreshed here has no time limit, as supabase/auth promised when it issued the token
 */
export async function answerRepeatedToken(
  app: App,
  client: Client,
  token: RefreshToken | MovedToken,
  of: ClientSessions | null = null,
): Promise<OwnedSession> {
  const state = await checkToken(app, client, token, of);
  // The session changed between the two statements.
  if (state.generation === token.generation) throw apiError('overloaded', {}, { retryAfterSeconds: 1 });
  return ownedOf(state);
}

/**
 * @returns the session of a token that is current, or the previous one within the reuse interval
 * @throws ApiError the reason why the token is refused; its session is revoked if it was used too late
 */
export async function checkToken(
  app: App,
  client: Client,
  token: RefreshToken | MovedToken,
  of: ClientSessions | null = null,
): Promise<RefreshState> {
  const { refreshTokenReuseIntervalSeconds } = app.config;
  const bounds = of?.bounds ?? sessionBounds(app);
  const state = await readRefreshState(app.db, token.sessionId, refreshTokenReuseIntervalSeconds, bounds);
  const refuse = (name: ErrorName, reason?: string) => apiError(name, {}, { about: { userId: state?.id, reason } });
  if (state === undefined) throw refuse('refreshTokenNotFound', 'session_gone');
  if (state.oauth_client_id !== (of?.client.id ?? null)) {
    // To others than its client the token means nothing; nothing happens to the session.
    if (of !== null) throw refuse('refreshTokenNotFound', 'token_of_other_client');
    throw oauthApiError('sessionOfClient', {}, 'invalid_client');
  }
  // Nor to others than the holder of the key.
  if (of !== null && (state.client?.jkt ?? of.client.jkt) !== of.client.jkt) {
    throw refuse('refreshKeyDiffers');
  }
  const served = of?.client.organizationId ?? null;
  if (served !== null && state.organization?.id !== served) throw refuse('organizationNotServed');
  if (state.is_banned) throw refuse('refreshUserBanned');
  if (state.is_revoked && state.ended_by_ban) throw refuse('refreshTokenNotFound', 'session_ended_by_ban');
  if (state.is_revoked) throw refuse('refreshTokenAlreadyUsed', 'session_ended');
  if (state.is_expired) throw refuse('sessionExpired');
  if (state.is_inactive) throw refuse('sessionInactive');
  if (state.is_superseded) throw refuse('sessionSuperseded');
  if (isTooOldForLevel(app, state)) throw refuse('sessionLowAal');

  const age = state.generation - token.generation;
  const isUnusedHere = 'movedGeneration' in token && token.movedGeneration === state.generation;
  if (age === 0 || (age === 1 && (state.is_within_reuse_interval || isUnusedHere))) return state;
  // The token is newer than the row, as after a restore from a backup: unknown, not stolen.
  if (age < 0) throw refuse('refreshTokenNotFound', 'token_from_backup');
  // A verification skips a generation. A slower tab may still hold a token from before: that is no theft.
  if (age <= JUST_RAISED_GENERATIONS && state.is_just_raised) {
    throw refuse('refreshTokenAlreadyUsed', 'token_before_factor');
  }

  if (app.config.refreshTokenRotationEnabled) {
    await revokeReused(app, client, state, token.sessionId);
    const audit = auditEntry({ id: state.id, email: state.email, phone: state.phone }, 'token_revoked', {
      session_id: token.sessionId,
      reason: 'a used refresh token came back',
    });
    app.log.warn(
      { component: 'audit', request_id: client.requestId, auth_audit_event: audit },
      'A used refresh token came back: its session was revoked',
    );
  }
  throw refuse('refreshTokenAlreadyUsed', 'token_reused');
}

/** SESSIONS_ALLOW_LOW_AAL: how long a session of a user with a second factor may stay below AAL2. */
function isTooOldForLevel({ config }: App, { aal, age_seconds, factors }: RefreshState): boolean {
  const allowed = config.sessionsAllowLowAalSeconds;
  return allowed !== null && aal === 'aal1' && age_seconds > allowed && hasVerifiedFactor({ factors: factors ?? null });
}

/** A reused token is a sign of theft, so a notice is sent, one for concurrent reuses. */
async function revokeReused(app: App, client: Client, user: Readonly<UserRow>, sessionId: string): Promise<void> {
  const notices = await prepareNotices(app, client, [{ kind: 'sessions_revoked_notification', to: recipientOf(user) }]);
  if (notices.length === 0) return void (await revokeSession(app.db, sessionId));
  await app.db.transaction(async (statements) => {
    if (await revokeSession(statements, sessionId)) await insertMails(statements, user.id, notices);
  });
  app.mail.nudge();
}
