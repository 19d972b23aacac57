import type { SignedInRow } from '../../db/users.js';
import type { Config } from '../config/settings.js';

/**
 * The claims of an access token, in wire order (reference/core.md 6.2, RFC 7519).
 * @param nowSeconds seconds since the epoch
 */
export function accessTokenClaims(
  row: SignedInRow,
  config: Pick<Config, 'jwtIssuer' | 'jwtExpiresInSeconds'>,
  nowSeconds: number,
): Record<string, unknown> & { exp: number } {
  return {
    // Undefined, it is not in the JSON.
    iss: config.jwtIssuer || undefined,
    sub: row.id,
    aud: row.aud,
    exp: nowSeconds + config.jwtExpiresInSeconds,
    iat: nowSeconds,
    email: row.email ?? '',
    phone: row.phone ?? '',
    app_metadata: row.app_metadata,
    user_metadata: row.user_metadata,
    role: row.role,
    aal: row.aal,
    amr: row.amr,
    session_id: row.session_id,
    is_anonymous: row.is_anonymous,
  };
}
