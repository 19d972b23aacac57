import { SchemaNotReadyError } from '../../db/errors.js';
import {
  type ClaimedMessage,
  claimMessages,
  deleteExpiredMessages,
  finishMessage,
  giveUpMessage,
  releaseMessage,
  rescheduleMessage,
  startData,
  waitingMessages,
} from '../../db/outbox.js';
import { isNoticeKind } from '../message-kinds.js';
import { newOutboxCounts, type Outbox, type OutboxOptions, type OutboxTiming } from './contract.js';
import { DeliveryError } from './delivery-error.js';
import { outboxWords } from './log-words.js';
import { maskRecipient } from './mask-recipient.js';

const defaults: OutboxTiming = {
  concurrency: 4,
  leaseSeconds: 60,
  // Greylisting takes some minutes; the first retry is for a server that restarts.
  retrySeconds: [5, 30, 120, 600, 1800],
  pollSeconds: 10,
};

/** A notice has no code that expires; after a mail server or gateway was away for longer, its news are old. */
export const NOTICE_MAX_AGE_SECONDS = 3 * 86_400;

/**
 * Delay from a nudge to its poll. A statement beside the end of the request would make the response some 2 ms slower, which
 * would reveal that a message leaves (SEC-48).
 */
const NUDGE_DELAY_MS = 25;

/** The message of this attempt was replaced by a newer one, or claimed by another instance. */
class Superseded extends Error {}

/** Sends the mails or the texts of the outbox: after a nudge, when a retry is due, and when the claim of a dead instance has expired. */
export function startOutbox<Message>(options: OutboxOptions<Message>): Outbox {
  const { db, log, channel, maxAges } = options;
  const timing = { ...defaults, ...options.timing };
  const counts = options.counts ?? newOutboxCounts();
  const words = outboxWords[channel];
  const running = new Set<Promise<void>>();
  let isNudged = false;
  let isClosing = false;
  let isStopped = false;
  let isUnreachable = false;
  /** The last claim filled all places. */
  let isMoreDue = false;
  let sweptAt = 0;
  let pump: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let nudgeTimer: NodeJS.Timeout | undefined;

  function nudge(): void {
    if (isClosing) return;
    nudgeTimer ??= setTimeout(() => {
      nudgeTimer = undefined;
      wake();
    }, NUDGE_DELAY_MS);
  }

  function wake(): void {
    isNudged = true;
    clearTimeout(timer);
    pump ??= work().finally(() => {
      pump = null;
      // A nudge after the last claim.
      if (isNudged && !isClosing) wake();
    });
  }

  function sleep(seconds: number): void {
    if (isClosing) return;
    // Up to a fifth more, so that instances do not poll in step.
    timer = setTimeout(wake, seconds * (1 + Math.random() / 5) * 1000);
    timer.unref();
  }

  async function work(): Promise<void> {
    try {
      isNudged = false;
      await takeDue();
      if (Date.now() - sweptAt >= (timing.pollSeconds / 2) * 1000) await sweep();
      const { waiting, due_in_seconds: dueIn } = await waitingMessages(db, channel);
      counts.waiting = waiting;
      sleep(Math.min(Math.max(dueIn ?? timing.pollSeconds, 0.25), timing.pollSeconds));
      isUnreachable = false;
    } catch (error) {
      // Before the first migration there is no table, and no message either.
      const isUnmade = error instanceof SchemaNotReadyError;
      if (!isUnreachable && !isUnmade) {
        log.warn({ component: words.component, error: nameOf(error) }, words.unreadable);
      }
      isUnreachable = !isUnmade;
      sleep(timing.pollSeconds);
    }
  }

  /** Fills the free places until nothing is due. The end of an attempt wakes the pump. */
  async function takeDue(): Promise<void> {
    while (!isStopped) {
      const free = timing.concurrency - running.size;
      if (free <= 0) return;
      const rows = await claimMessages(db, channel, free, timing.leaseSeconds, maxAges);
      for (const row of rows) {
        const attempt = attemptRow(row).then((isDone) => {
          running.delete(attempt);
          // A failure changes the time of the next poll.
          if (!isClosing && (isMoreDue || !isDone)) wake();
        });
        running.add(attempt);
      }
      isMoreDue = rows.length === free;
      if (!isMoreDue) return;
    }
  }

  /** @returns false when it failed */
  async function attemptRow(row: ClaimedMessage): Promise<boolean> {
    const message = options.open(row.id, row.sealed);
    try {
      if (message === null) throw new DeliveryError(words.unopened, { facts: { stage: 'open' } });
      const commit = async () => {
        if (!(await startData(db, row))) throw new Superseded();
      };
      await options.send(row.id, message, commit, row.user_id);
      counts.sent += 1;
      await finishMessage(db, row);
      return true;
    } catch (error) {
      if (error instanceof Superseded) return true;
      await settle(row, message, error).catch((fault: unknown) => {
        // The claim expires; a message past the point of no return is not sent again.
        log.warn({ ...words.about(row), error: nameOf(fault) }, words.unsettled);
      });
      return false;
    }
  }

  async function settle(row: ClaimedMessage, message: Message | null, error: unknown): Promise<void> {
    if (!(error instanceof DeliveryError)) throw error;
    if (isStopped && !error.isOutcomeUnknown) return releaseMessage(db, row);
    const delay = timing.retrySeconds[Math.min(row.attempts, timing.retrySeconds.length) - 1] ?? 0;
    const maxAge = isNoticeKind(row.kind) ? maxAges.notice : maxAges.code;
    const isExpired = row.age_seconds + delay >= maxAge;
    const isRetried = !error.isFinal && !error.isOutcomeUnknown && !isExpired;
    const facts = {
      ...words.about(row),
      ...options.logFields,
      ...error.facts,
      attempt: row.attempts,
      error: error.message,
    };
    if (isRetried) {
      counts.retried += 1;
      log.warn({ ...facts, retry_in_seconds: delay }, words.isRetried);
      await rescheduleMessage(db, row, delay, describeAttempt(error));
    } else {
      const reason = error.isOutcomeUnknown ? 'unknown' : error.isFinal ? 'refused' : 'expired';
      counts.failed[reason] += 1;
      log.error({ ...facts, reason }, words.givenUp[reason]);
      const recipient = message === null ? null : maskRecipient(options.recipientOf(message));
      await giveUpMessage(db, row, reason, describeAttempt(error), recipient);
    }
    reportFailed(row, message, isRetried);
  }

  async function sweep(): Promise<void> {
    sweptAt = Date.now();
    for (const row of await deleteExpiredMessages(db, channel, maxAges)) {
      const reason = row.is_outcome_unknown ? 'unknown' : 'expired';
      counts.failed[reason] += 1;
      log.error({ ...words.about(row), attempt: row.attempts, reason }, words.givenUp[reason]);
      reportFailed(row, options.open(row.id, row.sealed), false);
    }
  }

  function reportFailed(row: Pick<ClaimedMessage, 'has_failed'>, message: Message | null, isRetried: boolean): void {
    if (row.has_failed || message === null) return;
    void Promise.resolve()
      .then(() => options.onFailed(message, isRetried))
      .catch((error: unknown) => log.warn({ component: words.component, error: nameOf(error) }, words.unnoted));
  }

  wake();
  return {
    nudge,
    stats: () => ({ ...counts, failed: { ...counts.failed } }),
    async close(timeoutSeconds, cut) {
      const deadline = Date.now() + timeoutSeconds * 1000;
      isClosing = true;
      clearTimeout(timer);
      clearTimeout(nudgeTimer);
      await pump;
      while (!isStopped && Date.now() < deadline) {
        await takeDue().catch(() => undefined);
        if (running.size === 0) break;
        const late = new Promise<void>((resolve) => setTimeout(resolve, deadline - Date.now()).unref());
        await Promise.race([Promise.race(running), late]);
      }
      isStopped = true;
      cut();
      await Promise.all(running);
    },
    async retire() {
      isClosing = true;
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(nudgeTimer);
      await pump;
      await Promise.all(running);
    },
  };
}

const MAX_FAILURE_LENGTH = 500;

function describeAttempt({ message, facts }: DeliveryError) {
  const { stage = null, reply } = facts;
  return { stage, failure: (reply === undefined ? message : `${message} (${reply})`).slice(0, MAX_FAILURE_LENGTH) };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown';
}
