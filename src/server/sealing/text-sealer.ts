/** Encrypts texts that are stored in the database: AES-256-GCM with a key per purpose. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveBytes, openKeyRing, type ServerSecrets } from './key-ring.js';

export interface TextSealer {
  /** @param context authenticated with the text, e.g. the id of its row; opening needs the same one */
  seal(context: string, text: string): string;
  /** @returns null when no accepted key opens it */
  open(context: string, sealed: string): string | null;
  /** @returns the same text sealed with the current key, or null: it is already, or no accepted key opens it */
  renew(context: string, sealed: string): string | null;
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals with the server secret. Texts sealed with earlier secrets can be opened while those are accepted (SEC-94). */
export function createTextSealer(secrets: ServerSecrets, purpose: string, now: () => number = Date.now): TextSealer {
  const keys = openKeyRing(secrets, (secret) => deriveBytes(secret, purpose));

  const sealer: TextSealer = {
    seal(context, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, keys.current, iv).setAAD(Buffer.from(context));
      const sealed = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), iv, ...sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(context, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes[0] !== VERSION || bytes.length < 1 + IV_BYTES + TAG_BYTES) return null;
      for (const key of keys.accepted(now())) {
        const text = openWith(key, context, bytes);
        if (text !== null) return text;
      }
      return null;
    },
    renew(context, sealed) {
      if (openWith(keys.current, context, Buffer.from(sealed, 'base64url')) !== null) return null;
      const text = sealer.open(context, sealed);
      return text === null ? null : sealer.seal(context, text);
    },
  };
  return sealer;
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
