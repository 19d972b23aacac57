/** Refreshes of the sessions that OAuth clients have. They differ from those of users in what is checked and answered. */
import type { SessionFacts } from '../../db/user-rows.js';
import { type AuditAction, logUnstoredAudit } from '../accounts/audit.js';
import type { App, Client } from '../runtime/app.js';
import { decideClaims } from './decided-claims.js';
import { renderSessionClaims, type TokenResponse } from './open.js';
import { type Redeemed, type RenderOwned, redeemAndSign, signOwned } from './redeem-and-sign.js';
import { answerRepeatedToken, type ClientSessions, checkToken, REPEATED, ROTATED } from './refresh.js';
import type { RefreshToken } from './refresh-token.js';

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
  let render = usualClaims(app, narrow);
  if (app.hooks.customAccessToken !== null) {
    const state = await checkToken(app, client, token, of);
    const decided = await decideClaims(app, client, state, narrow(state), 'token_refresh');
    render = () => decided;
  }
  const rules = { bounds: of.bounds, renewedAt: null, oauthClient: of.client };
  const redeemed = await redeemAndSign(app, client, token, rules, render);
  return redeemed && describeRefreshed(app, client, redeemed, narrow, ROTATED);
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
  let render = usualClaims(app, narrow);
  if (app.hooks.customAccessToken !== null) {
    const decided = await decideClaims(app, client, owned.user, narrow(owned.session), 'token_refresh');
    render = () => decided;
  }
  return describeRefreshed(app, client, signOwned(app, token, owned, render), narrow, REPEATED);
}

const usualClaims =
  (app: App, narrow: (session: SessionFacts) => SessionFacts): RenderOwned =>
  ({ user, session }) =>
    renderSessionClaims(app, { user, session: narrow(session) });

/** A refreshed session of an OAuth client. */
export interface RefreshedSession {
  readonly tokens: Omit<TokenResponse, 'user'>;
  readonly session: SessionFacts;
}

async function describeRefreshed(
  app: App,
  client: Client,
  { owned, tokens }: Redeemed,
  narrow: (session: SessionFacts) => SessionFacts,
  audit: readonly AuditAction[],
): Promise<RefreshedSession> {
  logUnstoredAudit(app, client.requestId, owned.user, audit);
  return { tokens: await tokens, session: narrow(owned.session) };
}
