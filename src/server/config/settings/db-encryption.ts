import { KEPT_APART, type Section } from './setting.js';

export const dbEncryption = {
  securityDbEncryptionEncrypt: {
    variable: 'SECURITY_DB_ENCRYPTION_ENCRYPT',
    notStored: KEPT_APART,
    kind: 'bool',
    default: 'false',
    doc: 'Seals secrets of second factors with SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY, in the form of supabase/auth; otherwise JWT_SECRET seals them.',
    example: 'true',
  },
  securityDbEncryptionEncryptionKeyId: {
    variable: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID',
    notStored: KEPT_APART,
    kind: 'text',
    default: '',
    doc: 'Name of that key, stored with each text that it seals.',
    example: '2030-01',
  },
  securityDbEncryptionEncryptionKey: {
    variable: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY',
    notStored: KEPT_APART,
    kind: 'text',
    default: '',
    secret: true,
    pattern: /^[A-Za-z0-9_-]{43}=?$/,
    patternInWords: 'must be 32 bytes in base64url',
    doc: 'That key: 32 random bytes in base64url.',
    example: 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE',
  },
  securityDbEncryptionDecryptionKeys: {
    variable: 'SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS',
    notStored: KEPT_APART,
    kind: 'map',
    default: '',
    secret: true,
    doc: 'Keys that open what was sealed, as id:key pairs: the current one and those before it.',
    example: '2029-01:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE',
  },
} as const satisfies Section;
