/** Keeps the tables small while the server runs (operations.md 5.4). */
import { type PruneAges, type Pruned, pruneBatch } from '../db/prune.js';
import type { Database } from '../db/types.js';
import type { Config } from './config/settings.js';
import type { Log } from './telemetry/log.js';

export interface HousekeepingOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Pick<Log, 'debug' | 'warn'>;
  /** Between two rounds. Default ten minutes. */
  readonly everyMs?: number;
}

const EVERY_MS = 600_000;
const BATCH = 500;
/** A round stays small beside the requests; what is left waits for the next. */
const MOST_BATCHES = 20;
const DAY_SECONDS = 86_400;

/** Sign-ins at providers are begun by anybody, without a limit: their rows go whether clean-up is on or not. */
const ALWAYS: readonly Pruned[] = ['flow_states'];
const WITH_CLEANUP: readonly Pruned[] = [...ALWAYS, 'one_time_tokens', 'sessions', 'outbox'];

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
    deadSession: DAY_SECONDS,
    sessionTimebox: config.sessionsTimeboxSeconds,
    sessionInactivity: config.sessionsInactivityTimeoutSeconds,
    mail: config.mailerOtpExpSeconds + DAY_SECONDS,
    counter: Math.max(config.smtpMaxFrequencySeconds ?? 0, config.smsMaxFrequencySeconds) + 2 * DAY_SECONDS,
    audit: auditSeconds,
  };
}

/** Rounds in the background; instances on one database pass over what another is deleting. A failure waits for the next round. */
export function keepHouse({ config, db, log, everyMs = EVERY_MS }: HousekeepingOptions): { close(): void } {
  const kinds = config.dbCleanupEnabled ? WITH_CLEANUP : ALWAYS;
  const ages = pruneAges(config, null);
  let isClosed = false;

  async function prune(kind: Pruned): Promise<number> {
    let gone = 0;
    for (let batches = 0; batches < MOST_BATCHES && !isClosed; batches++) {
      const last = await pruneBatch(db, kind, ages, BATCH);
      gone += last;
      if (last < BATCH) break;
    }
    return gone;
  }

  async function round(): Promise<void> {
    for (const kind of kinds) {
      if (isClosed) return;
      try {
        const gone = await prune(kind);
        if (gone > 0) log.debug({ component: 'server', table: kind, rows: gone }, 'Stale rows were deleted');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn(
          { component: 'server', table: kind, reason },
          'Stale rows could not be deleted; the next round tries again',
        );
      }
    }
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
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
