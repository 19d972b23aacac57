/** Keys for one purpose, derived from the server secret and earlier ones (AUTH_JWT_PREVIOUS_SECRETS). */
import { hkdfSync } from 'node:crypto';

export interface ServerSecrets {
  readonly jwtSecret: string;
  readonly jwtPreviousSecrets: readonly string[];
  /** RFC 3339; null: the earlier secrets are accepted as long as they are listed. */
  readonly jwtPreviousSecretsValidUntil: string | null;
}

export interface KeyRing<Key> {
  /** From the server secret: signs and seals. */
  readonly current: Key;
  /**
   * The keys that are accepted: the current one, then the earlier ones until they expire (SEC-94). The array is another
   * object after that, so that caches keyed by it expire, too.
   * @param nowMs milliseconds since the epoch
   */
  accepted(nowMs: number): readonly Key[];
}

/** @param deriveKey derives the key for the purpose from a secret */
export function openKeyRing<Key>(secrets: ServerSecrets, deriveKey: (secret: string) => Key): KeyRing<Key> {
  const { jwtSecret, jwtPreviousSecrets, jwtPreviousSecretsValidUntil: until } = secrets;
  const untilMs = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  const current = deriveKey(jwtSecret);
  let keys: readonly Key[] = [current, ...jwtPreviousSecrets.map(deriveKey)];
  return {
    current,
    accepted(nowMs) {
      // Permanent: a clock that is set back does not reactivate them.
      if (nowMs >= untilMs && keys.length > 1) keys = [current];
      return keys;
    },
  };
}

/** HKDF-SHA-256 (RFC 5869) with the purpose as info: keys for different purposes are independent. */
export function deriveBytes(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32));
}
