/** Keys of one purpose, from the server secret and from earlier ones (AUTH_JWT_PREVIOUS_SECRETS). */
import { hkdfSync } from 'node:crypto';

export interface ServerSecrets {
  readonly jwtSecret: string;
  readonly jwtPreviousSecrets: readonly string[];
  /** RFC 3339, or null: the earlier secrets are accepted for as long as they are listed. */
  readonly jwtPreviousSecretsValidUntil: string | null;
}

export interface KeyRing<Key> {
  /** Of the server secret: the one that signs and seals. */
  readonly current: Key;
  /**
   * The keys that may have made something: the current one, then the earlier ones until their time is over (SEC-94).
   * The array is the same one until then and another one afterwards, so that what is remembered by it ends with it.
   * @param nowMs milliseconds since the epoch
   */
  accepted(nowMs: number): readonly Key[];
}

/** @param deriveKey the key that a secret gives for the purpose */
export function openKeyRing<Key>(secrets: ServerSecrets, deriveKey: (secret: string) => Key): KeyRing<Key> {
  const { jwtSecret, jwtPreviousSecrets, jwtPreviousSecretsValidUntil: until } = secrets;
  const untilMs = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  const current = deriveKey(jwtSecret);
  let keys: readonly Key[] = [current, ...jwtPreviousSecrets.map(deriveKey)];
  return {
    current,
    accepted(nowMs) {
      // For good: a clock that is set back does not bring them back.
      if (nowMs >= untilMs && keys.length > 1) keys = [current];
      return keys;
    },
  };
}

/** HKDF-SHA-256 (RFC 5869) with the purpose as info: keys of different purposes tell nothing of each other. */
export function deriveBytes(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32));
}
