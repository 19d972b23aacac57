import type { SessionColumns, UserRow } from '../../db/users.js';
import type { Config } from '../config/settings.js';

/**
 * The claims of an access token, in wire order (reference/core.md 6.2, RFC 7519).
 * @param nowSeconds seconds since the epoch
 */
export function accessTokenClaims(
  user: Readonly<UserRow>,
  session: SessionColumns,
  config: Pick<Config, 'jwtIssuer' | 'jwtExpiresInSeconds'>,
  nowSeconds: number,
): Record<string, unknown> & { exp: number } {
  return {
    // Undefined, it is not in the JSON.
    iss: config.jwtIssuer || undefined,
    sub: user.id,
    aud: user.aud,
    exp: nowSeconds + config.jwtExpiresInSeconds,
    iat: nowSeconds,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: user.role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.session_id,
    is_anonymous: user.is_anonymous,
  };
}
