/** The keys of access tokens, as the rest of the server uses them. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { TokenKey } from '../../jws/jwk.js';
import type { Config } from '../config/settings.js';
import { openKeyRing } from '../sealing/key-ring.js';
import { type JwksAnswer, makeJwks } from './jwks.js';
import { type KeySet, makeKeySet } from './key-set.js';
import { countVerifications, type TokenKeyStats, type VerifyCounter } from './verify-counts.js';

/** The settings of keys. */
export type TokenKeySettings = Pick<
  Config,
  | 'jwtSecret'
  | 'jwtPreviousSecrets'
  | 'jwtPreviousSecretsValidUntil'
  | 'jwtKeyId'
  | 'jwtKeys'
  | 'jwtKeysSource'
  | 'jwtValidMethods'
  | 'jwtJwksMaxAgeSeconds'
>;

export interface TokenKeys {
  /** @param nowMs milliseconds since the epoch; an earlier secret may expire at any moment (SEC-94) */
  accepted(nowMs: number): KeySet;
  /** The answer of /.well-known/jwks.json. */
  jwks(nowMs: number): JwksAnswer;
  /**
   * Looks for the key of a token that was refused: another process may have added it.
   * @returns whether the keys have changed, so that the token may be valid now
   * @throws the error of the database, if the keys were never read
   */
  lookUp(token: string): Promise<boolean>;
  /** Looks into the database after this process has changed the keys. Absent where they are not there. @throws as {@link lookUp} */
  refresh?(): Promise<void>;
  stats(): TokenKeyStats;
  /** Resolves when the key that signs is known. Absent where it always is. @throws as {@link lookUp} */
  ready?(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** The keys of AUTH_JWT_KEYS, or AUTH_JWT_SECRET alone. */
export function openTokenKeys(settings: TokenKeySettings, counts: VerifyCounter = countVerifications()): TokenKeys {
  const setOf = followSecrets(settings, counts.of);
  const { jwtKeys, jwtJwksMaxAgeSeconds } = settings;
  return {
    accepted: (nowMs) => setOf(jwtKeys, nowMs),
    jwks: (nowMs) => makeJwks(setOf(jwtKeys, nowMs), jwtJwksMaxAgeSeconds),
    lookUp: async () => false,
    stats: () => ({ verifications: counts.read(), ageSeconds: {} }),
    close: async () => undefined,
  };
}

/** Makes a set once, and again when the keys change or an earlier secret expires. */
export function followSecrets(
  settings: TokenKeySettings,
  countsOf: VerifyCounter['of'],
): (keys: readonly TokenKey[], nowMs: number) => KeySet {
  const { jwtSecret, jwtKeyId, jwtValidMethods, jwtKeysSource: source } = settings;
  const ring = openKeyRing(settings, (secret) => createSecretKey(Buffer.from(secret)));
  const validMethods = jwtValidMethods.length === 0 ? null : jwtValidMethods;
  let made: {
    readonly keys: readonly TokenKey[];
    readonly secrets: readonly KeyObject[];
    readonly set: KeySet;
  } | null = null;
  return (keys, nowMs) => {
    const secrets = ring.accepted(nowMs);
    if (made === null || made.secrets !== secrets || made.keys !== keys) {
      const set = makeKeySet({ keys, secrets, validMethods, source, jwtSecret, jwtKeyId, countsOf });
      made = { keys, secrets, set };
    }
    return made.set;
  };
}
