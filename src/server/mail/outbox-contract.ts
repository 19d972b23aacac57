/** What the outbox is given, and what it tells. */
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';
import type { MailKind, MailMessage } from './contract.js';
import type { Sealer } from './seal.js';

/** Counts since the start, for metrics. */
export interface MailStats {
  /** In the outbox at the last look, of all instances. */
  readonly waiting: number;
  readonly sent: number;
  readonly retried: number;
  /** Given up, by reason: refused, expired or unknown (it may have arrived). */
  readonly failed: Readonly<Record<'refused' | 'expired' | 'unknown', number>>;
}

/** A mail that did not arrive at the first attempt; told once per mail. */
export interface MailFailed {
  readonly kind: MailKind;
  readonly to: string;
  /** Current address of the account, which is what its intervals are counted by. */
  readonly email: string;
  /** Will be tried again by itself. */
  readonly isRetried: boolean;
}

export interface OutboxOptions {
  readonly db: Database;
  readonly log: Log;
  readonly sealer: Sealer;
  /** How long the code in a mail is valid: nobody needs it after that. */
  readonly maxAgeSeconds: number;
  /** Sends one mail; `beforeData` is the point of no return. @throws MailError */
  readonly send: (id: string, message: MailMessage, beforeData: () => Promise<void>) => Promise<void>;
  /** Host of the mail server, for the log. */
  readonly mailServer: string;
  readonly onFailed: (failed: MailFailed) => unknown;
  readonly timing?: Partial<OutboxTiming> | undefined;
}

export interface OutboxTiming {
  readonly concurrency: number;
  /** Longer than an attempt (15 s) and its statements. */
  readonly leaseSeconds: number;
  readonly retrySeconds: readonly number[];
  /** Longest time between two looks into the outbox. */
  readonly pollSeconds: number;
}

export interface Outbox {
  nudge(): void;
  stats(): MailStats;
  /**
   * Sends what is due, and hands back what could not be sent in time.
   * @param cut ends the attempts that still run then
   */
  close(timeoutSeconds: number, cut: () => void): Promise<void>;
}
