/**
 * The redemption of a refresh token. Nearly every session is as it was last read, so what its next tokens will say is
 * known before the database answers: they are signed while the statement runs instead of after it. They leave only if that
 * statement has redeemed the token and found the account unchanged (docs/decisions.md, Signing ahead).
 */
import { type CachedSession, cachedSession } from '../../db/account-cache.js';
import { type OwnedSession, type RedemptionRules, redeemGeneration } from '../../db/sessions.js';
import type { App, Client } from '../runtime/app.js';
import { signTokens, type TokenResponse } from './open.js';
import type { RefreshToken } from './refresh-token.js';
import type { RenderedClaims } from './token-claims.js';

/** Renders the claims of a session. @throws ApiError that refuses the refresh, such as accessTokenTooLong */
export type RenderOwned = (owned: Omit<OwnedSession, 'generation'>) => RenderedClaims;

/** A session whose token was redeemed, or may be repeated. */
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
  if (owned.user !== ahead?.owned.user || owned.session !== ahead.owned.session) {
    return signOwned(app, token, owned, render);
  }
  if (!ahead.isDone) app.crypto.hurrySigning();
  return ahead;
}

function signAhead(
  app: App,
  token: RefreshToken,
  { account, facts }: CachedSession,
  render: RenderOwned,
): Redeemed & { isDone: boolean } {
  const owned = { user: account.user, session: facts, generation: token.generation + 1 };
  const ahead = { owned, tokens: sign(app, token, owned, render, true), isDone: false };
  const done = (): void => {
    ahead.isDone = true;
  };
  // A rejection is handled here, too: the tokens are not awaited if the statement does not redeem.
  ahead.tokens.then(done, done);
  return ahead;
}

/** Signs the tokens of a session now. */
export function signOwned(
  app: App,
  token: Pick<RefreshToken, 'sessionId'>,
  owned: OwnedSession,
  render: RenderOwned,
): Redeemed {
  return { owned, tokens: sign(app, token, owned, render, false) };
}

async function sign(
  app: App,
  { sessionId }: Pick<RefreshToken, 'sessionId'>,
  owned: OwnedSession,
  render: RenderOwned,
  canWait: boolean,
): Redeemed['tokens'] {
  // To await it takes a third of the microtasks that returning the promise does.
  return await signTokens(app, { sessionId, generation: owned.generation }, render(owned), canWait);
}
