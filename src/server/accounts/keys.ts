import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type HmacSha256, hmacSha256 } from '../../hmac-sha256.js';
import type { Config } from '../config/settings.js';
import { createTextSealer, type TextSealer } from '../sealing.js';

/** Keys that stay on the server thread: checking a MAC takes 2 µs, less than asking another thread. */
export interface Keys {
  /** MACs under the keys that may have signed an access token. */
  readonly accessToken: readonly HmacSha256[];
  /** MACs under the keys that may have sealed a refresh token; the first one seals. */
  readonly refreshToken: readonly HmacSha256[];
  /** Keys that may have made the state of a flow to a provider; the first one makes it. */
  readonly flow: readonly KeyObject[];
  /** For what a flow must keep of a provider: its tokens, a secret of the first half. */
  readonly flowSealer: TextSealer;
}

/**
 * Derives the keys. Former secrets (AUTH_JWT_PREVIOUS_SECRETS) are accepted until
 * AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL, so that a secret can be changed without signing everybody out.
 * @param now milliseconds since the epoch
 */
export function deriveKeys(
  config: Pick<Config, 'jwtSecret' | 'jwtPreviousSecrets' | 'jwtPreviousSecretsValidUntil'>,
  now: number,
): Keys {
  const until = config.jwtPreviousSecretsValidUntil;
  const isStillAccepted = until === null || Date.parse(until) > now;
  const secrets = [config.jwtSecret, ...(isStillAccepted ? config.jwtPreviousSecrets : [])];
  return {
    accessToken: secrets.map((secret) => hmacSha256(Buffer.from(secret))),
    refreshToken: secrets.map((secret) => hmacSha256(deriveBytes(secret, 'latchkey refresh token v1'))),
    flow: secrets.map((secret) => createSecretKey(deriveBytes(secret, 'latchkey provider flow v1'))),
    flowSealer: createTextSealer(config, 'latchkey provider tokens v1'),
  };
}

/** HKDF-SHA-256 (RFC 5869) with the purpose as info: keys of different purposes tell nothing of each other. */
function deriveBytes(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32));
}
