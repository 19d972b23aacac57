/**
 * The redemption of a refresh token. Nearly every session is as it was last read, so what its next tokens will say is
 * known before the database answers: they are signed while the statement runs instead of after it. They leave only if that
 * statement has redeemed the token and found the account unchanged (docs/decisions.md, Signing ahead).
 */
import { type CachedSession, cachedSession } from '../../db/account-cache.js';
import { type OwnedSession, type RedemptionRules, redeemGeneration } from '../../db/sessions.js';
import type { App, Client } from '../app.js';
import { signTokens, type TokenResponse } from './open.js';
import type { RefreshToken } from './refresh-token.js';
import type { RenderedClaims } from './token-claims.js';

/** Renders the claims of a session. @throws ApiError that refuses the refresh, such as accessTokenTooLong */
export type RenderOwned = (owned: Omit<OwnedSession, 'generation'>) => RenderedClaims;

export interface Redeemed {
  readonly owned: OwnedSession;
  readonly tokens: Promise<Omit<TokenResponse, 'user'>>;
}

/**
 * @param render called for the session as it was last read, and again if that has changed
 * @returns undefined when the token cannot be redeemed, for any reason
 */
export async function redeemAndSign(
  app: App,
  client: Client,
  token: RefreshToken,
  rules: RedemptionRules,
  render: RenderOwned,
): Promise<Redeemed | undefined> {
  const known = cachedSession(app.db, token.sessionId);
  const ahead = known && signAhead(app, token, known, render);
  const owned = await redeemGeneration(app.db, token, client, rules, known);
  if (owned === undefined) return undefined;
  if (owned.user !== known?.account.user || owned.session !== known.facts) {
    return { owned, tokens: signOwned(app, token, owned, render) };
  }
  if (!ahead!.isDone) app.crypto.hurrySigning();
  return { owned, tokens: ahead!.tokens };
}

function signAhead(
  app: App,
  { sessionId, generation }: RefreshToken,
  { account, facts }: CachedSession,
  render: RenderOwned,
): { readonly tokens: Redeemed['tokens']; isDone: boolean } {
  const owned = { user: account.user, session: facts, generation: generation + 1 };
  const ahead = { tokens: signOwned(app, { sessionId }, owned, render, true), isDone: false };
  // Nobody awaits the tokens if the statement does not redeem.
  const done = (): void => {
    ahead.isDone = true;
  };
  ahead.tokens.then(done, done);
  return ahead;
}

/**
 * Signs the tokens of a session that was redeemed, or may be repeated.
 * @param canWait as in CryptoPool.signJwt
 */
export async function signOwned(
  app: App,
  { sessionId }: Pick<RefreshToken, 'sessionId'>,
  owned: OwnedSession,
  render: RenderOwned,
  canWait = false,
): Redeemed['tokens'] {
  // To await it takes a third of the microtasks that returning the promise does.
  return await signTokens(app, { sessionId, generation: owned.generation }, render(owned), canWait);
}
