import { createHash } from 'node:crypto';
import type { ServerSecrets } from '../sealing/key-ring.js';
import { createTextSealer } from '../sealing/text-sealer.js';
import type { MailMessage } from './contract.js';

/** Encrypts mails for the database (SEC-36). */
export interface Sealer {
  /** @param id of the row; the text opens with the same id only */
  seal(id: string, message: MailMessage): string;
  /** @returns null when no accepted key opens it */
  open(id: string, sealed: string): MailMessage | null;
}

export function createSealer(secrets: ServerSecrets, now?: () => number): Sealer {
  const sealer = createTextSealer(secrets, 'latchkey mail outbox v1', now);
  return {
    seal: (id, message) => sealer.seal(id, JSON.stringify(message)),
    open(id, sealed) {
      const text = sealer.open(id, sealed);
      // The encryption is authenticated, so this is the JSON of seal().
      return text === null ? null : (JSON.parse(text) as MailMessage);
    },
  };
}

/** @returns lower-case hex SHA-256 of a normalised address, as in `recipient_hash` */
export const hashRecipient = (address: string): string => createHash('sha256').update(address).digest('hex');
