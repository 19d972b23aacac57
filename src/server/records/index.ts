/** What a server thread records for the console. Loaded only where it is wanted. */
import type { Database } from '../../db/types.js';
import type { Config } from '../config/settings.js';
import type { EdgeOptions } from '../http/options.js';
import type { Route } from '../http/types.js';
import type { EdgeObserver } from '../telemetry/edge.js';
import type { Log } from '../telemetry/log.js';
import { type DayCounter, openDayCounter } from './day-counter.js';
import { openLatency } from './latency.js';
import { type FigureSources, measureThread } from './live-figures.js';
import { openRefusalJournal } from './refusal-journal.js';
import { startReporter } from './reporter.js';
import { openScimJournal, type ScimJournalOptions } from './scim-journal.js';

export interface Records extends Pick<DayCounter, 'countSignIn' | 'countAuditEvent'> {
  readonly onRefusal: NonNullable<EdgeOptions<never>['onRefusal']>;
  readonly onProvisioned: NonNullable<EdgeOptions<never>['onProvisioned']>;
  /** @param other that is told, too */
  observe(other: EdgeObserver | undefined): EdgeObserver;
  /** Later records follow this configuration. */
  use(config: Config): void;
  /** Writes the rest, if the database takes it soon. */
  close(): Promise<void>;
}

export interface RecordsOptions {
  readonly db: Database;
  readonly log: Log;
  readonly routes: readonly Route<never>[];
  readonly threads: number;
  /** Those of the metrics; read every ten seconds. */
  readonly sources: FigureSources;
  /** What is told of a call of provisioning. */
  readonly describeProvisioned: ScimJournalOptions['describe'];
}

/** Refusals that a process keeps in the long run, and at once after a quiet time. */
const REFUSALS_PER_SECOND = 20;
const REFUSAL_BURST = 400;
const CLOSE_MS = 1000;
/** Waits for events by itself. */
const WAITING_ROUTE = '/admin/events';
/** Differs between machines whose processes have the same number. */
const processName = `${process.pid} ${Math.floor(Date.now() - process.uptime() * 1000)}`;

/** Until `use` is called nothing is known of limits and captchas. */
export function openRecords({ db, log, routes, threads, sources, describeProvisioned }: RecordsOptions): Records {
  const journal = openRefusalJournal({
    db,
    log,
    routes,
    perSecond: REFUSALS_PER_SECOND / threads,
    burst: REFUSAL_BURST / threads,
  });
  const provisioning = openScimJournal({ db, log, describe: describeProvisioned });
  const counter = openDayCounter();
  const latency = openLatency();
  const reporter = startReporter({ db, log, counter, measure: () => measureThread(processName, sources, latency) });
  return {
    countSignIn: counter.countSignIn,
    countAuditEvent: counter.countAuditEvent,
    onRefusal(refusal) {
      journal.record(refusal);
      counter.countRefusal(refusal);
    },
    onProvisioned: provisioning.record,
    observe: (other) => ({
      ...(other?.begin === undefined ? {} : { begin: other.begin }),
      end(entry, watch) {
        if (entry.status !== 499 && entry.route !== WAITING_ROUTE) latency.record(entry.durationMs);
        other?.end(entry, watch);
      },
    }),
    use: journal.use,
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([Promise.allSettled([journal.close(), provisioning.close(), reporter.close()]), late]);
      clearTimeout(timer);
    },
  };
}
