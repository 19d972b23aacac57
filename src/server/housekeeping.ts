/** Keeps the tables small while the server runs. */
import { setTimeout as pause } from 'node:timers/promises';
import { type PruneAges, type Pruned, pruneBatch } from '../db/prune.js';
import type { Database } from '../db/types.js';
import type { Config } from './config/settings.js';
import type { Log } from './telemetry/log.js';

export interface HousekeepingOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Pick<Log, 'debug' | 'warn'>;
  /** Between two rounds. Default one minute. */
  readonly everyMs?: number;
}

export interface Housekeeping {
  /** A sign-in was begun at a provider: every thousandth starts a round of its own, so that clean-up keeps pace (SEC-88). */
  noteFlow(): void;
  close(): void;
}

const EVERY_MS = 60_000;
const BATCH = 500;
/** Between two batches, so that requests have their turn: at most 5,000 rows a second go. */
const BREATH_MS = 100;
const DAY_SECONDS = 86_400;
/** Longer than a state is good for (SEC-60), so that a late one can still say why it is refused. */
const WAITING_FLOW_SECONDS = 900;
const FLOWS_PER_ROUND = 1000;

/** What strangers leave behind goes whether clean-up is on or not. */
const ALWAYS: readonly Pruned[] = ['flow_states', 'one_time_tokens'];
/** What people and the server leave behind; looking for dead sessions reads all of them, so it is done less often. */
const WITH_CLEANUP: readonly Pruned[] = ['sessions', 'outbox'];
const ROUNDS_PER_CLEANUP = 10;

/**
 * How old rows must be, in seconds. A day is added to most, so that what has just ended can still say why it is refused.
 * @param auditSeconds age of audit entries that go, or null to keep all
 */
export function pruneAges(config: Config, auditSeconds: number | null): PruneAges {
  return {
    mailedCode: config.mailerOtpExpSeconds,
    textedCode: config.smsOtpExpSeconds,
    // A flow that began with a mail lasts as long as its link.
    flow: Math.max(config.externalFlowStateExpirySeconds, config.mailerOtpExpSeconds) + DAY_SECONDS,
    waitingFlow: WAITING_FLOW_SECONDS,
    deadSession: DAY_SECONDS,
    sessionTimebox: config.sessionsTimeboxSeconds,
    sessionInactivity: config.sessionsInactivityTimeoutSeconds,
    mail: config.mailerOtpExpSeconds + DAY_SECONDS,
    counter: Math.max(config.smtpMaxFrequencySeconds ?? 0, config.smsMaxFrequencySeconds) + 2 * DAY_SECONDS,
    audit: auditSeconds,
  };
}

/** Rounds in the background; instances on one database pass over what another is deleting. A failure waits for the next round. */
export function keepHouse({ config, db, log, everyMs = EVERY_MS }: HousekeepingOptions): Housekeeping {
  const ages = pruneAges(config, null);
  const pruning = new Map<Pruned, Promise<void>>();
  let rounds = Math.floor(Math.random() * ROUNDS_PER_CLEANUP);
  let flows = 0;
  let isClosed = false;

  /** Goes on until nothing is left, so that it is never slower than what comes in. */
  async function pruneAll(kind: Pruned): Promise<void> {
    let gone = 0;
    try {
      for (let last = BATCH; last >= BATCH && !isClosed; ) {
        if (gone > 0) await pause(BREATH_MS, undefined, { ref: false });
        last = await pruneBatch(db, kind, ages, BATCH);
        gone += last;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { component: 'server', table: kind, reason },
        'Stale rows could not be deleted; the next round tries again',
      );
    }
    if (gone > 0) log.debug({ component: 'server', table: kind, rows: gone }, 'Stale rows were deleted');
  }

  /** One at a time of each kind. */
  function prune(kind: Pruned): Promise<void> {
    const running = pruning.get(kind) ?? pruneAll(kind).finally(() => pruning.delete(kind));
    pruning.set(kind, running);
    return running;
  }

  async function round(): Promise<void> {
    const isCleanup = config.dbCleanupEnabled && rounds++ % ROUNDS_PER_CLEANUP === 0;
    for (const kind of [...ALWAYS, ...(isCleanup ? WITH_CLEANUP : [])]) if (!isClosed) await prune(kind);
  }

  const schedule = (delayMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      void round().finally(() => {
        if (!isClosed) timer = schedule(everyMs);
      });
    }, delayMs).unref();
  // Instances that start together do not delete together.
  let timer = schedule(Math.random() * everyMs);
  return {
    noteFlow() {
      flows += 1;
      if (flows % FLOWS_PER_ROUND === 0 && !isClosed) void prune('flow_states');
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
