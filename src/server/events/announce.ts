import { setTimeout as pause } from 'node:timers/promises';
import { SchemaNotReadyError } from '../../db/errors.js';
import { announceConsumer, type ConsumerInput, renewRecording } from '../../db/events.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';

export interface Announcer {
  /** Announces other consumers from the next statement on. */
  use(consumers: readonly ConsumerInput[]): void;
  /** A database whose statements wait until the consumers are announced, so that the first change has its event, too. */
  readonly db: Database;
  close(): void;
}

/** A consumer that was not announced for an hour is no longer recorded for. */
const REPEAT_MS = 300_000;
const RENEW_TRIES = 4;

/**
 * Announces the consumers of the configuration: at once, with the first statement, and then every five minutes.
 * @param db whose schema is checked (schema-gate.ts)
 */
export function announceConsumers(db: Database, initial: readonly ConsumerInput[], log: Log): Announcer {
  let consumers = initial;
  let isAnnounced = consumers.length === 0;
  let announcing: Promise<void> | undefined;

  async function announce(): Promise<void> {
    const announced = consumers;
    for (const consumer of announced) await announceConsumer(db, consumer, !isAnnounced);
    await retryRenewal(() => renewRecording(db));
    if (announced === consumers) isAnnounced = true;
  }

  /** One at a time, shared by all waiting statements. */
  function becomeAnnounced(): Promise<void> {
    announcing ??= announce().finally(() => {
      announcing = undefined;
    });
    return announcing;
  }

  function repeat(): void {
    // Also without consumers: those of other instances may have gone.
    becomeAnnounced().catch((error: unknown) => {
      if (error instanceof SchemaNotReadyError) return;
      const reason = error instanceof Error ? error.message : 'unknown';
      log.warn({ component: 'events', reason }, 'The recording of events could not be renewed; it is tried again');
    });
  }

  if (!isAnnounced) setImmediate(repeat);
  const timer = setInterval(repeat, REPEAT_MS * (1 + Math.random() / 5)).unref();
  return {
    use(next) {
      consumers = next;
      isAnnounced = next.length === 0;
      if (!isAnnounced) setImmediate(repeat);
    },
    db: {
      run: (name, values) => (isAnnounced ? db.run(name, values) : becomeAnnounced().then(() => db.run(name, values))),
      transaction: (work, origin) =>
        isAnnounced ? db.transaction(work, origin) : becomeAnnounced().then(() => db.transaction(work, origin)),
      isReady: () => db.isReady(),
      stats: () => db.stats(),
      close: () => db.close(),
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Enabling a trigger waits for writers of its table, and gives up after half a second.
 * @param work renews the recording
 * @throws the error of the last of four attempts
 */
export async function retryRenewal<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === RENEW_TRIES) throw error;
      await pause(100 * tries, undefined, { ref: false });
    }
  }
}
