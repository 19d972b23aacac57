import { createHash } from 'node:crypto';
import type { ServerSecrets } from '../key-ring.js';
import { createTextSealer } from '../sealing.js';
import type { MailMessage } from './contract.js';

/** Puts a mail into a form the database may hold, and back (SEC-36). */
export interface Sealer {
  /** @param id of the row: a sealed text opens in its own row only */
  seal(id: string, message: MailMessage): string;
  /** @returns null when no key we hold opens it */
  open(id: string, sealed: string): MailMessage | null;
}

export function createSealer(secrets: ServerSecrets, now?: () => number): Sealer {
  const sealer = createTextSealer(secrets, 'latchkey mail outbox v1', now);
  return {
    seal: (id, message) => sealer.seal(id, JSON.stringify(message)),
    open(id, sealed) {
      const text = sealer.open(id, sealed);
      // Authenticated: it is what seal() was given.
      return text === null ? null : (JSON.parse(text) as MailMessage);
    },
  };
}

/** @returns lower-case hex SHA-256 of a normalised address, as in `recipient_hash` */
export const hashRecipient = (address: string): string => createHash('sha256').update(address).digest('hex');
