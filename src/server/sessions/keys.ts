import { createSecretKey, type KeyObject } from 'node:crypto';
import { deriveBytes, type KeyRing, openKeyRing, type ServerSecrets } from '../sealing/key-ring.js';
import { createTextSealer, type TextSealer } from '../sealing/text-sealer.js';

/** Keys of the server thread: checking a MAC takes 2 µs, less than a message to another thread. */
export interface Keys {
  /** Authenticate refresh tokens. */
  readonly refreshToken: KeyRing<KeyObject>;
  /** Hash opaque refresh tokens of imported sessions. */
  readonly movedToken: KeyRing<KeyObject>;
  /** Seals the keys of imported sessions whose refresh tokens carry a MAC. */
  readonly movedTokenSealer: TextSealer;
  /** Hash recovery codes. */
  readonly recoveryCode: KeyRing<KeyObject>;
  /** Hash codes of phone factors. */
  readonly factorCode: KeyRing<KeyObject>;
  /** Hash tokens of trusted devices. */
  readonly trustedDevice: KeyRing<KeyObject>;
  /** Hash tokens of provisioning. */
  readonly scimToken: KeyRing<KeyObject>;
  /** Make nonces of DPoP proofs. */
  readonly dpopNonce: KeyRing<KeyObject>;
  /** Authenticate the state of a flow to a provider. */
  readonly flow: KeyRing<KeyObject>;
  /** Seals what a flow stores: provider tokens and provider state. */
  readonly flowSealer: TextSealer;
}

/**
 * Derives the keys. Earlier secrets (AUTH_JWT_PREVIOUS_SECRETS) are accepted until
 * AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL, so that a change of secret ends no sessions (SEC-94).
 */
export function deriveKeys(secrets: ServerSecrets): Keys {
  return {
    refreshToken: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey refresh token v1'))),
    movedToken: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey imported token v1'))),
    movedTokenSealer: createTextSealer(secrets, 'latchkey imported token keys v1'),
    recoveryCode: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey recovery code v1'))),
    factorCode: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey factor code v1'))),
    trustedDevice: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey trusted device v1'))),
    scimToken: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey scim token v1'))),
    dpopNonce: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey dpop nonce v1'))),
    flow: openKeyRing(secrets, (secret) => createSecretKey(deriveBytes(secret, 'latchkey provider flow v1'))),
    flowSealer: createTextSealer(secrets, 'latchkey provider tokens v1'),
  };
}
