/** What a client asks for when it signs a user out (OpenID Connect RP-Initiated Logout 1.0). */
import { findClient, type OauthClientRow } from '../../db/oauth-clients.js';
import { isUuid } from '../../db/uuid.js';
import { ApiError, apiError } from '../errors.js';
import { issuerOf } from '../keys/issuer.js';
import type { App } from '../runtime/app.js';
import { readSignedClaims } from '../sessions/access-token.js';
import { answerLocation } from './answer-location.js';
import { answersTo, storedKey } from './client-id.js';
import { isRegisteredRedirectUri } from './redirect-uri.js';
import type { TokenParameters } from './token-parameters.js';

export interface LogoutRequest {
  readonly client: OauthClientRow;
  /** The session that the hint names; null: without a hint. */
  readonly sessionId: string | null;
  /** Where the browser goes afterwards, with the state; null: nothing was asked for. */
  readonly target: string | null;
}

/**
 * @throws ApiError logoutClientMissing, logoutHintInvalid, authorizeClientInvalid, logoutRedirectInvalid
 */
export async function readLogoutRequest(app: App, parameters: Pick<TokenParameters, 'get'>): Promise<LogoutRequest> {
  const hintText = parameters.get('id_token_hint');
  const hint = hintText === undefined ? null : readHint(app, hintText);
  const given = parameters.get('client_id');
  const clientId = given ?? hint?.clientId;
  if (clientId === undefined) throw apiError('logoutClientMissing');
  if (hint !== null && hint.clientId !== clientId) throw apiError('logoutHintInvalid');
  const key = storedKey(clientId);
  const client = key === null ? undefined : await findClient(app.db, key);
  if (client === undefined || !answersTo(client, clientId))
    throw apiError('authorizeClientInvalid', { reason: 'invalid client_id' });
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri !== undefined && !isRegisteredRedirectUri(client.post_logout_redirect_uris, uri)) {
    throw apiError('logoutRedirectInvalid');
  }
  const state = parameters.get('state');
  const target = uri === undefined ? null : state === undefined ? uri : answerLocation(uri, { state });
  return { client, sessionId: hint?.sessionId ?? null, target };
}

/** An expired hint counts: a client may come back after a night (2). An access token is none. */
function readHint({ config, tokenKeys }: App, text: string): { readonly clientId: string; readonly sessionId: string } {
  const { iss, aud, sid, session_id } = readClaims(tokenKeys, text);
  const isIdToken = iss === issuerOf(config) && typeof aud === 'string' && session_id === undefined;
  if (!isIdToken || typeof sid !== 'string' || !isUuid(sid)) throw apiError('logoutHintInvalid');
  return { clientId: aud, sessionId: sid };
}

function readClaims(tokenKeys: App['tokenKeys'], text: string): Readonly<Record<string, unknown>> {
  try {
    return readSignedClaims(text, tokenKeys.accepted(Date.now()));
  } catch (error) {
    if (error instanceof ApiError && error.entry === 'badJwt') throw apiError('logoutHintInvalid');
    throw error;
  }
}
