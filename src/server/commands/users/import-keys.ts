import type { Config } from '../../config/settings.js';
import { createSecretBox } from '../../factors/secret-box.js';
import { createProviderSealer } from '../../providers/stored/secret-sealer.js';
import type { TextSealer } from '../../sealing/text-sealer.js';
import { deriveKeys, type Keys } from '../../sessions/keys.js';

/** What opens encrypted columns of supabase/auth, and hashes and seals what is stored here. */
export interface ImportKeys {
  readonly keys: Keys;
  /** Opens what supabase/auth encrypts; seals the secrets of factors. */
  readonly secrets: TextSealer;
  /** Seals the secrets at identity providers. */
  readonly providerSecrets: TextSealer;
}

export const openImportKeys = (config: Config): ImportKeys => ({
  keys: deriveKeys(config),
  secrets: createSecretBox(config),
  providerSecrets: createProviderSealer(config),
});
