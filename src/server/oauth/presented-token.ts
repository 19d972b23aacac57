/** A token that a client presents to ask about it, or to revoke it. */

import { isUuid } from '../../db/uuid.js';
import { ApiError, apiError } from '../errors.js';
import type { App } from '../runtime/app.js';
import type { AccessTokenClaims } from '../sessions/access-token.js';
import { verifyOwnToken } from '../sessions/caller.js';
import { isClientToken } from '../sessions/find-caller.js';
import { findMovedToken } from '../sessions/moved-token.js';
import { openRefreshToken, type RefreshToken } from '../sessions/refresh-token.js';
import type { TokenParameters } from './token-parameters.js';

/** A token of ours, whether or not it is still active. */
export type PresentedToken =
  | ({ readonly kind: 'refresh' } & RefreshToken)
  | { readonly kind: 'access'; readonly sessionId: string; readonly claims: AccessTokenClaims }
  /** Of a client for itself. */
  | {
      readonly kind: 'machine';
      readonly clientId: string;
      readonly tokenId: string;
      readonly claims: AccessTokenClaims;
    };

/**
 * The parameter `token`. What it is shows by itself, so `token_type_hint` is not needed (RFC 7009 2.1).
 * @returns undefined when it is no token of a client, or has expired
 * @throws ApiError oauthTokenMissing
 */
export async function readPresentedToken(
  app: Pick<App, 'db' | 'keys' | 'tokenKeys'>,
  parameters: TokenParameters,
): Promise<PresentedToken | undefined> {
  const text = parameters.get('token');
  if (text === undefined) throw apiError('oauthTokenMissing');
  const own = openRefreshToken(text, app.keys.refreshToken.accepted(Date.now()));
  const refreshToken = own ?? (await findMovedToken(app, text));
  if (refreshToken !== undefined) return { kind: 'refresh', ...refreshToken };
  try {
    const claims = await verifyOwnToken(app, text);
    const { session_id: sessionId = '', sub = '', jti } = claims;
    if (!isClientToken(claims)) return undefined;
    if (isUuid(sessionId)) return { kind: 'access', sessionId, claims };
    // The subject of an ID token is a user.
    const isOfMachine = isUuid(sub) && claims['client_id'] === sub && typeof jti === 'string' && isUuid(jti);
    return isOfMachine ? { kind: 'machine', clientId: sub, tokenId: jti, claims } : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.entry === 'badJwt') return undefined;
    throw error;
  }
}
