import { createSecretKey, type KeyObject } from 'node:crypto';
import { type HmacSha256, hmacSha256 } from '../../hmac-sha256.js';
import { deriveBytes, type KeyRing, openKeyRing, type ServerSecrets } from '../key-ring.js';
import { createTextSealer, type TextSealer } from '../sealing.js';

/** Keys that stay on the server thread: checking a MAC takes 2 µs, less than asking another thread. */
export interface Keys {
  /** MACs under the keys that may have signed an access token. */
  readonly accessToken: KeyRing<HmacSha256>;
  /** MACs under the keys that may have sealed a refresh token. */
  readonly refreshToken: KeyRing<HmacSha256>;
  /** Keys that may have made the state of a flow to a provider. */
  readonly flow: KeyRing<KeyObject>;
  /** For what a flow must keep of a provider: its tokens, a secret of the first half. */
  readonly flowSealer: TextSealer;
}

/**
 * Derives the keys. Earlier secrets (AUTH_JWT_PREVIOUS_SECRETS) are accepted until
 * AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL, so that a secret can be changed without signing everybody out (SEC-94).
 */
export function deriveKeys(secrets: ServerSecrets): Keys {
  return {
    accessToken: openKeyRing(secrets, (secret) => hmacSha256(Buffer.from(secret))),
    refreshToken: openKeyRing(secrets, (secret) => hmacSha256(deriveBytes(secret, 'latchkey refresh token v1'))),
    flow: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey provider flow v1'))),
    flowSealer: createTextSealer(secrets, 'latchkey provider tokens v1'),
  };
}
