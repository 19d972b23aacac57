/** The refresh_token grant of clients (RFC 6749 6). */
import type { OauthClientRow } from '../../db/oauth-clients.js';
import { readRefreshState } from '../../db/sessions.js';
import type { SessionFacts } from '../../db/user-rows.js';
import { apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import { type ClientSessions, redeemClientToken, repeatClientToken } from '../sessions/client-refresh.js';
import { findMovedToken } from '../sessions/moved-token.js';
import { openRefreshToken } from '../sessions/refresh-token.js';
import { authenticateClient } from './client-authentication.js';
import { assertGrantOf, clientSessionBounds } from './client-sessions.js';
import type { ClientTokenResponse, TokenRequest } from './contract.js';
import { assertKeyGiven, bindSession, boundKey, readProvenKey, tokenTypeOf } from './proven-key.js';
import { narrowScopes, ORGANIZATION_SCOPE } from './scopes.js';

/**
 * @throws ApiError clientNotProven, grantTypeUnsupported, oauthRefreshTokenMissing, refreshTokenNotFound and the other
 *   reasons of a refresh, refreshKeyDiffers, organizationNotServed, scopeRefused, resourceRefused, and those of the key and of the hook
 *   custom_access_token
 */
export async function refreshClientTokens(
  app: App,
  { client, presented, parameters, request }: TokenRequest,
): Promise<ClientTokenResponse> {
  const { client: oauthClient, isCached } = await authenticateClient(app, presented, true);
  assertGrantOf(oauthClient, 'refresh_token');
  const text = parameters.get('refresh_token');
  if (text === undefined) throw apiError('oauthRefreshTokenMissing');
  const own = openRefreshToken(text, app.keys.refreshToken.accepted(Date.now()));
  const token = own ?? (await findMovedToken(app, text));
  if (token === undefined) throw apiError('refreshTokenNotFound');
  const jkt = await readProvenKey(app, request, oauthClient);
  const scope = parameters.get('scope');
  const resources = parameters.all('resource');
  const narrow = (session: SessionFacts) => bindSession(narrowSession(session, oauthClient, scope, resources), jkt);
  // Before the token is spent.
  if (scope !== undefined || resources.length > 0) await assertNarrower(app, token.sessionId, oauthClient, narrow);
  const { tokens, session } =
    (await redeemClientToken(app, client, token, sessionsOf(app, oauthClient, jkt), narrow)) ?? (await retry());
  return {
    access_token: tokens.access_token,
    token_type: tokenTypeOf(jkt),
    expires_in: tokens.expires_in,
    refresh_token: tokens.refresh_token,
    scope: session.client!.scope,
  };

  /** The client may have changed since it was read; otherwise the token has been used. */
  async function retry() {
    if (!isCached) return repeatClientToken(app, client, token!, sessionsOf(app, oauthClient, jkt), narrow);
    const { client: fresh } = await authenticateClient(app, presented, false);
    assertGrantOf(fresh, 'refresh_token');
    assertKeyGiven(fresh, jkt);
    const of = sessionsOf(app, fresh, jkt);
    const redeemed =
      fresh.version === oauthClient.version ? undefined : await redeemClientToken(app, client, token!, of, narrow);
    return redeemed ?? repeatClientToken(app, client, token!, of, narrow);
  }
}

const sessionsOf = (app: App, client: OauthClientRow, jkt: string | null): ClientSessions => ({
  client: {
    id: client.id,
    version: client.version,
    jkt: boundKey(client, jkt),
    organizationId: client.organization_id,
  },
  bounds: clientSessionBounds(app),
});

/** @throws ApiError scopeRefused, resourceRefused */
async function assertNarrower(
  app: App,
  sessionId: string,
  oauthClient: OauthClientRow,
  narrow: (session: SessionFacts) => SessionFacts,
): Promise<void> {
  const state = await readRefreshState(app.db, sessionId, 0, clientSessionBounds(app));
  if (state?.oauth_client_id === oauthClient.id) narrow(state);
}

/**
 * The session with at most the scopes and resources that the client asks for, for this token only (RFC 6749 6, RFC 8707
 * 2.2). Without the scope of organizations only the client of one has a token that names it.
 * @throws ApiError scopeRefused, resourceRefused
 */
function narrowSession(
  session: SessionFacts,
  { organization_id: served }: OauthClientRow,
  scope: string | undefined,
  resources: readonly string[],
): SessionFacts {
  const { client } = session;
  if (!client || (scope === undefined && resources.length === 0)) return session;
  const scopes = narrowScopes(client.scope.split(' '), scope);
  const granted = [client.aud ?? []].flat();
  if (!resources.every((one) => granted.includes(one))) throw apiError('resourceRefused');
  const [first] = resources;
  const aud = resources.length > 1 ? resources : first;
  const narrowed = { ...session, client: { ...client, scope: scopes.join(' '), ...(aud !== undefined && { aud }) } };
  return served !== null || scopes.includes(ORGANIZATION_SCOPE) ? narrowed : { ...narrowed, organization: null };
}
