/** Writes what a thread counted, and what it does at present, every ten seconds. */
import { randomUUID } from 'node:crypto';
import { addDayCounts, countActiveUsers, putFigures, removeFigures } from '../../db/figures.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';
import type { DayCounter } from './day-counter.js';
import type { LiveFigures } from './live-figures.js';

export interface ReporterOptions {
  readonly db: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly counter: DayCounter;
  readonly measure: () => LiveFigures;
  readonly everyMs?: number;
}

export interface Reporter {
  /** Writes the last counts. */
  close(): Promise<void>;
}

const EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;

export function startReporter({ db, log, counter, measure, everyMs = EVERY_MS }: ReporterOptions): Reporter {
  const threadId = randomUUID();
  let isClosed = false;
  let nextScanMs = 0;
  let working: Promise<void> = Promise.resolve();

  async function writeCounts(): Promise<void> {
    const taken = counter.take();
    if (taken.length === 0) return;
    try {
      await addDayCounts(db, taken);
    } catch (error) {
      counter.putBack(taken);
      throw error;
    }
  }

  /** All threads try at the beginning of an hour; one of all instances counts. */
  async function scan(): Promise<void> {
    if (Date.now() < nextScanMs) return;
    nextScanMs = (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
    await countActiveUsers(db);
  }

  async function report(): Promise<void> {
    try {
      await putFigures(db, threadId, measure());
      await writeCounts();
      await scan();
    } catch (error) {
      // While the database is away every request says so.
      if ((error as { code?: string }).code === 'DATABASE_UNAVAILABLE') return;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ component: 'console', reason }, 'Figures for the overview could not be recorded');
    }
  }

  const schedule = (delayMs: number): NodeJS.Timeout =>
    setTimeout(() => {
      working = report().finally(() => {
        if (!isClosed) timer = schedule(everyMs);
      });
    }, delayMs).unref();
  // Not while the server starts, and not all threads at once.
  let timer = schedule((0.1 + Math.random() / 10) * everyMs);

  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await working;
      await Promise.allSettled([writeCounts(), removeFigures(db, threadId)]);
    },
  };
}
