import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from '../config/settings.js';
import type { MailMessage } from './contract.js';

/** Puts a mail into a form the database may hold, and back (SEC-36). */
export interface Sealer {
  /** @param id of the row: a sealed text opens in its own row only */
  seal(id: string, message: MailMessage): string;
  /** @returns null when no key we hold opens it */
  open(id: string, sealed: string): MailMessage | null;
}

const CIPHER = 'aes-256-gcm';
const PURPOSE = 'latchkey mail outbox v1';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Secrets = Pick<Config, 'jwtSecret' | 'jwtPreviousSecrets' | 'jwtPreviousSecretsValidUntil'>;

/**
 * AES-256-GCM under keys derived (HKDF-SHA-256, RFC 5869) from the server secret. Former secrets open what they sealed,
 * for as long as AUTH_JWT_PREVIOUS_SECRETS_VALID_UNTIL allows.
 */
export function createSealer(secrets: Secrets, now: () => number = Date.now): Sealer {
  const current = deriveKey(secrets.jwtSecret);
  const former = secrets.jwtPreviousSecrets.map(deriveKey);
  const until = secrets.jwtPreviousSecretsValidUntil;

  return {
    seal(id, message) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, current, iv).setAAD(Buffer.from(id));
      const text = [cipher.update(JSON.stringify(message), 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.of(VERSION), iv, ...text, cipher.getAuthTag()]).toString('base64url');
    },
    open(id, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes[0] !== VERSION || bytes.length < 1 + IV_BYTES + TAG_BYTES) return null;
      const areFormerAccepted = until === null || Date.parse(until) > now();
      for (const key of [current, ...(areFormerAccepted ? former : [])]) {
        const message = openWith(key, id, bytes);
        if (message !== null) return message;
      }
      return null;
    },
  };
}

/** @returns lower-case hex SHA-256 of a normalised address, as in `recipient_hash` */
export const hashRecipient = (address: string): string => createHash('sha256').update(address).digest('hex');

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), PURPOSE, 32));
}

function openWith(key: Buffer, id: string, bytes: Buffer): MailMessage | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]);
    // Authenticated: it is what seal() was given.
    return JSON.parse(text.toString('utf8')) as MailMessage;
  } catch {
    return null;
  }
}
