import type { MailAges } from '../../db/outbox.js';
import type { Database } from '../../db/types.js';
import type { MailKind } from '../message-kinds.js';
import type { Log } from '../telemetry/log.js';
import type { MailCounts, MailMessage, MailStats } from './contract.js';
import type { Sealer } from './seal.js';

/** A mail whose first attempt failed; reported once for each mail. */
export interface MailFailed {
  readonly kind: MailKind;
  readonly to: string;
  /** The account's current address, the key of its send interval. */
  readonly email: string;
  /** The outbox tries again. */
  readonly isRetried: boolean;
}

export interface OutboxOptions {
  readonly db: Database;
  readonly log: Log;
  readonly sealer: Sealer;
  /** An older mail is not sent: the validity of a code, and that of a notice. */
  readonly maxAges: MailAges;
  /** Sends one mail; `beforeData` is the point of no return. @throws MailError */
  readonly send: (
    id: string,
    message: MailMessage,
    beforeData: () => Promise<void>,
    userId: string | null,
  ) => Promise<void>;
  /** Host of the mail server, for the log. */
  readonly mailServer: string;
  readonly onFailed: (failed: MailFailed) => unknown;
  readonly timing?: Partial<OutboxTiming> | undefined;
  /** Counts of an earlier outbox that this one continues. */
  readonly counts?: MailCounts | undefined;
}

export interface OutboxTiming {
  readonly concurrency: number;
  /** Longer than an attempt (15 s) with its statements. */
  readonly leaseSeconds: number;
  readonly retrySeconds: readonly number[];
  /** Longest time between two polls. */
  readonly pollSeconds: number;
}

export interface Outbox {
  nudge(): void;
  stats(): MailStats;
  /**
   * Sends what is due, and releases what could not be sent in time.
   * @param cut aborts the attempts that still run then
   */
  close(timeoutSeconds: number, cut: () => void): Promise<void>;
  /** Finishes the attempts that run and begins no others: another outbox goes on. */
  retire(): Promise<void>;
}
