import { createSecretBox } from '../../src/server/factors/secret-box.js';

/** The id of the key that supabase/auth encrypts with, and the key. */
export const PEER_KEY_ID = 'there';
const PEER_KEY = Buffer.alloc(32, 7).toString('base64url');

/** The setting with which a server opens what {@link peerBox} encrypts. */
export const peerKeySettings = { SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: `${PEER_KEY_ID}:${PEER_KEY}` };

/** The settings with which a server encrypts as supabase/auth does. */
export const peerEncryption = {
  ...peerKeySettings,
  SECURITY_DB_ENCRYPTION_ENCRYPT: 'true',
  SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: PEER_KEY_ID,
  SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: PEER_KEY,
};

/** Encrypts as supabase/auth does; a unit test compares the form with one written apart. */
export const peerBox = createSecretBox({
  jwtSecret: 'a'.repeat(32),
  jwtPreviousSecrets: [],
  jwtPreviousSecretsValidUntil: null,
  securityDbEncryptionEncrypt: true,
  securityDbEncryptionEncryptionKeyId: PEER_KEY_ID,
  securityDbEncryptionEncryptionKey: PEER_KEY,
  securityDbEncryptionDecryptionKeys: {},
});
