/** What a sender of the outbox needs, and what it counts. */
import type { MessageAges, OutboxChannel } from '../../db/outbox.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';

/** @template Message what the row holds, sealed */
export interface OutboxOptions<Message> {
  readonly db: Database;
  readonly log: Log;
  readonly channel: OutboxChannel;
  /** An older message is not sent: the validity of a code, and that of a notice. */
  readonly maxAges: MessageAges;
  /** @returns null when no accepted key opens it */
  readonly open: (id: string, sealed: string) => Message | null;
  /** Sends one message; `commit` is the point of no return. @throws DeliveryError */
  readonly send: (
    id: string,
    message: Message,
    commit: () => Promise<void>,
    /** Null: a pending sign-up, or a deleted account. */
    userId: string | null,
  ) => Promise<void>;
  readonly recipientOf: (message: Message) => string;
  /** Beside each failure in the log. */
  readonly logFields?: Readonly<Record<string, string>>;
  /**
   * Called once for each message whose first attempt failed.
   * @param isRetried the outbox tries again
   */
  readonly onFailed: (message: Message, isRetried: boolean) => unknown;
  readonly timing?: Partial<OutboxTiming> | undefined;
  /** Counts of an earlier sender that this one continues. */
  readonly counts?: OutboxCounts | undefined;
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
  stats(): OutboxStats;
  /**
   * Sends what is due, and releases what could not be sent in time.
   * @param cut aborts the attempts that still run then
   */
  close(timeoutSeconds: number, cut: () => void): Promise<void>;
  /** Finishes the attempts that run and begins no others: another sender goes on. */
  retire(): Promise<void>;
}

/** Counts since the start, for metrics. */
export interface OutboxStats {
  /** Waiting at the last poll, of all instances. */
  readonly waiting: number;
  readonly sent: number;
  readonly retried: number;
  /** Given up, by reason: refused, expired or unknown (the message may have arrived). */
  readonly failed: Readonly<Record<'refused' | 'expired' | 'unknown', number>>;
}

/** {@link OutboxStats} while they are counted. */
export interface OutboxCounts {
  waiting: number;
  sent: number;
  retried: number;
  readonly failed: { refused: number; expired: number; unknown: number };
}

export const newOutboxCounts = (): OutboxCounts => ({
  waiting: 0,
  sent: 0,
  retried: 0,
  failed: { refused: 0, expired: 0, unknown: 0 },
});
