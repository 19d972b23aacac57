/** Logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.5). */
import { randomUUID } from 'node:crypto';
import type { ClaimedLogout } from '../../db/oauth-logouts.js';
import type { Config } from '../config/settings.js';
import { issuerOf } from '../keys/issuer.js';
import { clientIdOf } from '../oauth/client-id.js';
import { isTrusted } from '../oauth/client-identity.js';
import { subjectOf } from '../oauth/subject.js';
import { callOut, OutboundError } from '../outbound/outbound.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TOKEN_SECONDS = 120;
const CONNECT_SECONDS = 3;
export const CALL_SECONDS = 5;
const MAX_ANSWER_BYTES = 65_536;

/** @param nowSeconds seconds since the epoch. @returns the claims as JSON. @throws ApiError pairwiseUnavailable */
export function renderLogoutToken(
  config: Pick<Config, 'jwtIssuer' | 'apiExternalUrl' | 'oauthServerPairwiseSalt'>,
  { client, user_id: userId, session_id: sid }: Pick<ClaimedLogout, 'client' | 'user_id' | 'session_id'>,
  nowSeconds: number,
): string {
  return JSON.stringify({
    iss: issuerOf(config),
    sub: subjectOf(config, client, userId),
    aud: clientIdOf(client),
    iat: nowSeconds,
    exp: nowSeconds + TOKEN_SECONDS,
    jti: randomUUID(),
    sid,
    events: { [EVENT]: {} },
  });
}

/**
 * Posts a logout token to its client.
 * @returns what went wrong, safe to log; null: the client has accepted it
 */
export async function postLogoutToken(
  { outboundPrivateHosts }: Pick<Config, 'outboundPrivateHosts'>,
  { client }: Pick<ClaimedLogout, 'client'>,
  token: string,
): Promise<string | null> {
  try {
    const { status } = await callOut({
      url: client.backchannel_logout_uri!,
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `logout_token=${token}`,
      // Nobody has checked the address of a client that registered itself, or is changed by an organization.
      privateHosts: isTrusted(client) ? outboundPrivateHosts : [],
      connectSeconds: CONNECT_SECONDS,
      totalSeconds: CALL_SECONDS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    return status >= 200 && status < 300 ? null : `The client answered ${status}`;
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
}
