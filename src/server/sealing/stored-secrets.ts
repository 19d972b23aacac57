/** What seals keys and secrets that are stored for as long as they are in use. */
import type { ServerSecrets } from './key-ring.js';

export interface StoredSecretSettings {
  readonly jwtSecret: string;
  readonly jwtPreviousSecrets: readonly string[];
  /** AUTH_JWT_KEYS_ENCRYPTION_KEY. */
  readonly jwtKeysEncryptionKeys: readonly string[];
}

/** The first of AUTH_JWT_KEYS_ENCRYPTION_KEY seals, else the server secret; all of them open. */
export function storedSecretsOf(settings: StoredSecretSettings): ServerSecrets {
  const { jwtSecret, jwtPreviousSecrets, jwtKeysEncryptionKeys } = settings;
  const [first = jwtSecret, ...others] = [...jwtKeysEncryptionKeys, jwtSecret, ...jwtPreviousSecrets];
  // Without a date: the date on which an earlier secret ends must not take away what is in use.
  return { jwtSecret: first, jwtPreviousSecrets: others, jwtPreviousSecretsValidUntil: null };
}
