/** Text that must wait in the database without being readable there: AES-256-GCM under a key of its own purpose. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface TextSealer {
  /** @param context a sealed text opens only with the context it was sealed with, e.g. the id of its row */
  seal(context: string, text: string): string;
  /** @returns null when no key we hold opens it */
  open(context: string, sealed: string): string | null;
}

export interface SealingSecrets {
  readonly jwtSecret: string;
  readonly jwtPreviousSecrets: readonly string[];
  /** RFC 3339, or null: for ever. */
  readonly jwtPreviousSecretsValidUntil: string | null;
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keys are derived (HKDF-SHA-256, RFC 5869) from the server secret with the purpose as info. Former secrets open what
 * they sealed, for as long as AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL allows.
 */
export function createTextSealer(secrets: SealingSecrets, purpose: string, now: () => number = Date.now): TextSealer {
  const deriveKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32));
  const current = deriveKey(secrets.jwtSecret);
  const former = secrets.jwtPreviousSecrets.map(deriveKey);
  const until = secrets.jwtPreviousSecretsValidUntil;

  return {
    seal(context, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, current, iv).setAAD(Buffer.from(context));
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), iv, ...sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(context, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes[0] !== VERSION || bytes.length < 1 + IV_BYTES + TAG_BYTES) return null;
      const areFormerAccepted = until === null || Date.parse(until) > now();
      for (const key of [current, ...(areFormerAccepted ? former : [])]) {
        const text = openWith(key, context, bytes);
        if (text !== null) return text;
      }
      return null;
    },
  };
}

function openWith(key: Buffer, context: string, bytes: Buffer): string | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}
