import { type OwnedSession, readRefreshState, redeemGeneration, revokeSession } from '../../db/sessions.js';
import type { App, Client } from '../app.js';
import { refuse } from '../errors.js';
import { type AuditAction, auditEntry, logDeeds } from './audit.js';
import { openRefreshToken, type RefreshToken } from './refresh-token.js';
import { claimsOf, renderTokensOf, sessionBounds, tokensOf } from './sessions.js';
import { renderUser } from './user-view.js';

const ROTATED: readonly AuditAction[] = ['token_refreshed', 'token_revoked'];
const REPEATED: readonly AuditAction[] = ['token_refreshed'];

/**
 * The refresh_token grant (RFC 6749 6) with rotation (RFC 9700 4.14). One statement decides; only when it changes
 * nothing is the session read to say why.
 * @returns the token response as JSON
 * @throws Refusal refreshTokenNotFound, refreshTokenAlreadyUsed, refreshUserBanned, sessionExpired …
 */
export async function refreshTokens(app: App, client: Client, text: string): Promise<Uint8Array> {
  const token = openRefreshToken(text, app.keys.refreshToken.accepted(Date.now()));
  if (token === undefined) throw refuse('refreshTokenNotFound');

  const redeemed = await redeemGeneration(app.db, token, client, sessionBounds(app));
  const owned = redeemed ?? (await answerRepeatedToken(app, client, token));
  // In the log alone: a table that grows with every refresh would set the pace (design.md 4).
  logDeeds(app, client.requestId, owned.user, redeemed === undefined ? REPEATED : ROTATED);
  const { payload, exp } = claimsOf(app, owned);
  const accessToken = await app.crypto.signJwt(payload);
  const next = { sessionId: token.sessionId, generation: owned.generation };
  return renderTokensOf(tokensOf(app, next, accessToken, exp), renderUser(owned.user));
}

/** @returns the session when the token is the immediate parent of the current one and came again soon enough */
async function answerRepeatedToken(app: App, client: Client, token: RefreshToken): Promise<OwnedSession> {
  const { refreshTokenReuseIntervalSeconds } = app.config;
  const state = await readRefreshState(app.db, token.sessionId, refreshTokenReuseIntervalSeconds, sessionBounds(app));
  if (state === undefined) throw refuse('refreshTokenNotFound');
  if (state.is_banned) throw refuse('refreshUserBanned');
  if (state.is_revoked) throw refuse(state.ended_by_ban ? 'refreshTokenNotFound' : 'refreshTokenAlreadyUsed');
  if (state.is_expired) throw refuse('sessionExpired');
  if (state.is_inactive) throw refuse('sessionInactive');
  if (state.is_superseded) throw refuse('sessionSuperseded');

  const age = state.generation - token.generation;
  if (age === 1 && state.is_within_reuse_interval) {
    return { user: state, session: state, generation: state.generation };
  }
  // A token ahead of the row is ours but its commit is not here, as after a restore from a backup: unknown, not stolen.
  if (age < 0) throw refuse('refreshTokenNotFound');
  // The row was free to redeem an instant after it was not: the session changed between the two reads.
  if (age === 0) throw refuse('overloaded', {}, { retryAfterSeconds: 1 });

  if (app.config.refreshTokenRotationEnabled) {
    await revokeSession(app.db, token.sessionId);
    const audit = auditEntry({ id: state.id, email: state.email, phone: state.phone }, 'token_revoked', {
      session_id: token.sessionId,
      reason: 'a used refresh token came back',
    });
    app.log.warn(
      { component: 'audit', request_id: client.requestId, auth_audit_event: audit },
      'A used refresh token came back: its session was revoked',
    );
  }
  throw refuse('refreshTokenAlreadyUsed');
}
