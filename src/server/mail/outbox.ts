import { SchemaNotReadyError } from '../../db/errors.js';
import {
  type ClaimedMail,
  claimMails,
  deleteExpiredMails,
  finishMail,
  releaseMail,
  rescheduleMail,
  startData,
  waitingMails,
} from '../../db/outbox.js';
import { isNoticeKind } from '../message-kinds.js';
import type { MailCounts, MailMessage } from './contract.js';
import { MailError } from './mail-error.js';
import type { Outbox, OutboxOptions, OutboxTiming } from './outbox-contract.js';

const defaults: OutboxTiming = {
  concurrency: 4,
  leaseSeconds: 60,
  // Greylisting takes some minutes; the first retry is for a server that restarts.
  retrySeconds: [5, 30, 120, 600, 1800],
  pollSeconds: 10,
};

/**
 * Delay from a nudge to its poll. A statement beside the end of the request would make the response some 2 ms slower, which
 * would reveal that a mail leaves (SEC-48).
 */
const NUDGE_DELAY_MS = 25;

/** The mail of this attempt was replaced by a newer one, or claimed by another instance. */
class Superseded extends Error {}

/** Sends the mails of the outbox: after a nudge, when a retry is due, and when the claim of a dead instance has expired. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { db, log, sealer, maxAges } = options;
  const timing = { ...defaults, ...options.timing };
  const counts = options.counts ?? noMails();
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
      const { waiting, due_in_seconds: dueIn } = await waitingMails(db);
      counts.waiting = waiting;
      sleep(Math.min(Math.max(dueIn ?? timing.pollSeconds, 0.25), timing.pollSeconds));
      isUnreachable = false;
    } catch (error) {
      // Before the first migration there is no table, and no mail either.
      const isUnmade = error instanceof SchemaNotReadyError;
      if (!isUnreachable && !isUnmade) {
        log.warn({ component: 'mail', error: nameOf(error) }, 'The outbox cannot be read: mails wait in it');
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
      const mails = await claimMails(db, free, timing.leaseSeconds, maxAges);
      for (const mail of mails) {
        const attempt = attemptMail(mail).then((isDone) => {
          running.delete(attempt);
          // A failure changes the time of the next poll.
          if (!isClosing && (isMoreDue || !isDone)) wake();
        });
        running.add(attempt);
      }
      isMoreDue = mails.length === free;
      if (!isMoreDue) return;
    }
  }

  /** @returns false when it failed */
  async function attemptMail(mail: ClaimedMail): Promise<boolean> {
    const message = sealer.open(mail.id, mail.sealed);
    try {
      if (message === null) {
        throw new MailError('The mail was sealed with another AUTH_JWT_SECRET', { stage: 'open' });
      }
      const beforeData = async () => {
        if (!(await startData(db, mail))) throw new Superseded();
      };
      await options.send(mail.id, message, beforeData, mail.user_id);
      counts.sent += 1;
      await finishMail(db, mail);
      return true;
    } catch (error) {
      if (error instanceof Superseded) return true;
      await settle(mail, message, error).catch((fault: unknown) => {
        // The claim expires; a mail that had reached DATA is not sent again.
        log.warn({ ...about(mail), error: nameOf(fault) }, 'The state of a mail could not be written down');
      });
      return false;
    }
  }

  async function settle(mail: ClaimedMail, message: MailMessage | null, error: unknown): Promise<void> {
    if (!(error instanceof MailError)) throw error;
    if (isStopped && !error.isOutcomeUnknown) return releaseMail(db, mail);
    const delay = timing.retrySeconds[Math.min(mail.attempts, timing.retrySeconds.length) - 1] ?? 0;
    const maxAge = isNoticeKind(mail.kind) ? maxAges.notice : maxAges.code;
    const isExpired = mail.age_seconds + delay >= maxAge;
    const isRetried = !error.isFinal && !error.isOutcomeUnknown && !isExpired;
    const facts = {
      ...about(mail),
      mail_server: options.mailServer,
      stage: error.stage,
      ...(error.reply === null ? {} : { reply: error.reply }),
      attempt: mail.attempts,
      error: error.message,
    };
    if (isRetried) {
      counts.retried += 1;
      log.warn({ ...facts, retry_in_seconds: delay }, 'A mail could not be sent and is tried again');
      await rescheduleMail(db, mail, delay);
    } else {
      const reason = error.isOutcomeUnknown ? 'unknown' : error.isFinal ? 'refused' : 'expired';
      counts.failed[reason] += 1;
      log.error({ ...facts, reason }, GIVEN_UP[reason]);
      await finishMail(db, mail);
    }
    reportFailed(mail, message, isRetried);
  }

  async function sweep(): Promise<void> {
    sweptAt = Date.now();
    for (const mail of await deleteExpiredMails(db, maxAges)) {
      const reason = mail.is_outcome_unknown ? 'unknown' : 'expired';
      counts.failed[reason] += 1;
      log.error({ ...about(mail), attempt: mail.attempts, reason }, GIVEN_UP[reason]);
      reportFailed(mail, sealer.open(mail.id, mail.sealed), false);
    }
  }

  function reportFailed(mail: Pick<ClaimedMail, 'has_failed'>, message: MailMessage | null, isRetried: boolean): void {
    if (mail.has_failed || message === null) return;
    void Promise.resolve()
      .then(() => options.onFailed({ kind: message.kind, to: message.to, email: message.email, isRetried }))
      .catch((error: unknown) => log.warn({ component: 'mail', error: nameOf(error) }, 'A failed mail was not noted'));
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

export const noMails = (): MailCounts => ({
  waiting: 0,
  sent: 0,
  retried: 0,
  failed: { refused: 0, expired: 0, unknown: 0 },
});

const GIVEN_UP = {
  refused: 'A mail was refused and is given up',
  expired: 'A mail could not be sent while its code was valid and is given up',
  unknown: 'Whether a mail arrived is unknown; it is not sent again, the person may ask for another',
} as const;

const about = ({ id, kind }: Pick<ClaimedMail, 'id' | 'kind'>) => ({ component: 'mail', mail_id: id, mail_type: kind });

function nameOf(error: unknown): string {
  return error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown';
}
