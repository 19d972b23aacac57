/** ID tokens (OpenID Connect Core 2, 5.4). */
import type { AmrEntry, SessionFacts, UserRow } from '../../db/user-rows.js';
import type { Config } from '../config/settings.js';
import { issuerOf } from '../keys/issuer.js';
import {
  emailClaims,
  organizationClaims,
  phoneClaims,
  profileClaims,
  type ToldOrganization,
} from './profile-claims.js';
import { ORGANIZATION_SCOPE } from './scopes.js';

const ID_TOKEN_SECONDS = 3600;

export interface IdTokenFacts {
  /** Who the user is to the client. */
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  /** When the user who approved signed in; seconds since the epoch. */
  readonly authTime: number;
  readonly session: Pick<SessionFacts, 'session_id' | 'aal'>;
  /** How that user signed in. */
  readonly amr: readonly AmrEntry[];
  /** The one that the session acts for; null: none. */
  readonly organization: ToldOrganization | null;
}

/** @param nowSeconds seconds since the epoch. @returns the claims as JSON */
export function renderIdToken(
  config: Pick<Config, 'jwtIssuer' | 'apiExternalUrl'>,
  user: Readonly<UserRow>,
  { subject, clientId, scopes, nonce, authTime, session, amr, organization }: IdTokenFacts,
  nowSeconds: number,
): string {
  const has = (scope: string): boolean => scopes.includes(scope);
  return JSON.stringify({
    iss: issuerOf(config),
    sub: subject,
    aud: clientId,
    exp: nowSeconds + ID_TOKEN_SECONDS,
    iat: nowSeconds,
    auth_time: authTime,
    ...(nonce !== null && { nonce }),
    client_id: clientId,
    sid: session.session_id,
    acr: session.aal,
    amr: amr.map(({ method }) => method),
    ...(has('email') && emailClaims(user)),
    ...(has('phone') && phoneClaims(user)),
    ...(has('profile') && profileClaims(user)),
    ...(has(ORGANIZATION_SCOPE) && organizationClaims(organization)),
  });
}
