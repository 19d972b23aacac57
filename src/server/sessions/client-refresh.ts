/** Refreshes of the sessions that OAuth clients have. They differ from those of users in what is checked and answered. */
import { type OwnedSession, redeemGeneration } from '../../db/sessions.js';
import type { SessionFacts } from '../../db/user-rows.js';
import { type AuditAction, logUnstoredAudit } from '../accounts/audit.js';
import type { App, Client } from '../app.js';
import { decideClaims } from './decided-claims.js';
import { renderSessionClaims, signTokens, type TokenResponse } from './open.js';
import { answerRepeatedToken, type ClientSessions, checkToken, REPEATED, ROTATED } from './refresh.js';
import type { RefreshToken } from './refresh-token.js';
import type { RenderedClaims } from './token-claims.js';

export type { ClientSessions } from './refresh.js';

/**
 * Refreshes a session of an OAuth client.
 * @param narrow changes what the token says of the session
 * @returns undefined when the client has changed since it was read, or the token cannot be redeemed now
 * @throws ApiError those of refreshTokens(); of the hook
 */
export async function redeemClientToken(
  app: App,
  client: Client,
  token: RefreshToken,
  of: ClientSessions,
  narrow: (session: SessionFacts) => SessionFacts,
): Promise<RefreshedSession | undefined> {
  if (app.config.sessionsAllowLowAalSeconds !== null) await checkToken(app, client, token, of);
  if (app.hooks.customAccessToken === null) {
    const owned = await redeemGeneration(app.db, token, client, of.bounds, null, of.client);
    return owned && describeRefreshed(app, client, token.sessionId, owned, narrow, null, ROTATED);
  }
  const state = await checkToken(app, client, token, of);
  const decided = await decideClaims(app, client, state, narrow(state), 'token_refresh');
  const owned = await redeemGeneration(app.db, token, client, of.bounds, null, of.client);
  return owned && describeRefreshed(app, client, token.sessionId, owned, narrow, decided, ROTATED);
}

/**
 * The answer to a token of an OAuth client that could not be redeemed: the current one again, within the reuse interval.
 * @throws ApiError the reason why the token is refused
 */
export async function repeatClientToken(
  app: App,
  client: Client,
  token: RefreshToken,
  of: ClientSessions,
  narrow: (session: SessionFacts) => SessionFacts,
): Promise<RefreshedSession> {
  const owned = await answerRepeatedToken(app, client, token, of);
  const hook = app.hooks.customAccessToken;
  const decided =
    hook === null ? null : await decideClaims(app, client, owned.user, narrow(owned.session), 'token_refresh');
  return describeRefreshed(app, client, token.sessionId, owned, narrow, decided, REPEATED);
}

/** A refreshed session of an OAuth client. */
export interface RefreshedSession {
  readonly tokens: Omit<TokenResponse, 'user'>;
  readonly session: SessionFacts;
}

async function describeRefreshed(
  app: App,
  client: Client,
  sessionId: string,
  owned: OwnedSession,
  narrow: (session: SessionFacts) => SessionFacts,
  decided: RenderedClaims | null,
  audit: readonly AuditAction[],
): Promise<RefreshedSession> {
  logUnstoredAudit(app, client.requestId, owned.user, audit);
  const session = narrow(owned.session);
  const claims = decided ?? renderSessionClaims(app, { user: owned.user, session });
  const tokens = await signTokens(app, { sessionId, generation: owned.generation }, claims);
  return { tokens, session };
}
