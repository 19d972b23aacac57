/** Seals the secrets of authenticator apps, which are never stored in clear. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/settings.js';
import type { ServerSecrets } from '../sealing/key-ring.js';
import { createTextSealer, type TextSealer } from '../sealing/text-sealer.js';
import { decodeBase32 } from './base32.js';

export type SecretBoxConfig = ServerSecrets &
  Pick<
    Config,
    | 'securityDbEncryptionEncrypt'
    | 'securityDbEncryptionEncryptionKeyId'
    | 'securityDbEncryptionEncryptionKey'
    | 'securityDbEncryptionDecryptionKeys'
  >;

/** A text as supabase/auth encrypts it; the key is derived from the named one and the id of the row. */
interface NamedKeyText {
  readonly key_id: string;
  readonly alg: string;
  readonly data: string;
  readonly nonce: string;
}

const ALGORITHM = 'aes-gcm-hkdf';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals with SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY in the form of supabase/auth, or else with the server secret. Opens
 * both, so that the setting can be changed. The context is the id of the factor.
 */
export function createSecretBox(config: SecretBoxConfig, now?: () => number): TextSealer {
  const own = createTextSealer(config, 'latchkey factor secret v1', now);
  const { securityDbEncryptionEncryptionKeyId: currentId, securityDbEncryptionEncryptionKey: currentKey } = config;
  const keys = new Map(Object.entries(config.securityDbEncryptionDecryptionKeys));
  if (currentId !== '' && currentKey !== '') keys.set(currentId, currentKey);

  const open = (context: string, sealed: string): string | null => {
    const named = readNamedKeyText(sealed);
    if (named === null) return own.open(context, sealed);
    const key = keys.get(named.key_id);
    return key === undefined ? null : openNamed(deriveKey(key, context), named);
  };

  if (!config.securityDbEncryptionEncrypt) {
    return {
      seal: own.seal,
      open,
      renew(context, sealed) {
        if (readNamedKeyText(sealed) === null) return own.renew(context, sealed);
        const text = open(context, sealed);
        return text === null ? null : own.seal(context, text);
      },
    };
  }
  const seal = (context: string, text: string): string => sealNamed(currentId, deriveKey(currentKey, context), text);
  return {
    seal,
    open,
    renew(context, sealed) {
      if (readNamedKeyText(sealed)?.key_id === currentId) return null;
      const text = open(context, sealed);
      return text === null ? null : seal(context, text);
    },
  };
}

/**
 * A secret as it comes from supabase/auth: encrypted, or base32 in clear.
 * @returns the secret in base32, or null when it cannot be read
 */
export function openMovedSecret(box: TextSealer, factorId: string, stored: string): string | null {
  const text = stored.startsWith('{') ? box.open(factorId, stored) : stored.trim();
  return text === null || decodeBase32(text) === null ? null : text;
}

function sealNamed(keyId: string, key: Buffer, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const sealed: NamedKeyText = {
    key_id: keyId,
    alg: ALGORITHM,
    data: data.toString('base64'),
    nonce: nonce.toString('base64'),
  };
  return JSON.stringify(sealed);
}

function openNamed(key: Buffer, { alg, data, nonce }: NamedKeyText): string | null {
  const bytes = Buffer.from(data, 'base64');
  const iv = Buffer.from(nonce, 'base64');
  if (alg !== ALGORITHM || iv.length !== NONCE_BYTES || bytes.length < TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** @returns null for what has another form */
function readNamedKeyText(sealed: string): NamedKeyText | null {
  if (!sealed.startsWith('{')) return null;
  try {
    const { key_id, alg, data, nonce } = JSON.parse(sealed) as Record<string, unknown>;
    const isText = [key_id, alg, data, nonce].every((part) => typeof part === 'string');
    return isText ? ({ key_id, alg, data, nonce } as NamedKeyText) : null;
  } catch {
    return null;
  }
}

/** RFC 5869 without salt. */
const deriveKey = (key: string, context: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), Buffer.alloc(0), context, 32));
