import { SchemaNotReadyError } from '../../db/errors.js';
import { type EndpointRow, type EventWork, lookForWork, placeEvents } from '../../db/events.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';
import type { Attempt, EventStats, EventTiming } from './contract.js';
import { type Lane, openLane } from './lane.js';

export interface DispatcherOptions {
  readonly db: Database;
  readonly log: Log;
  /** What delivers to an endpoint; null: not this thread, e.g. its secrets are in another instance's configuration. */
  readonly attemptFor: (endpoint: EndpointRow) => { readonly target: string; readonly attempt: Attempt } | null;
  readonly timing: EventTiming;
  /** Where those hear of it that read or wait for events. */
  readonly channel: string;
  /** Called at every look with the last position. */
  readonly onPosition: (position: number) => void;
}

export interface Dispatcher {
  /** What is recorded, as of the last look. */
  recorded(): readonly string[];
  /** An event may have been written. */
  nudge(): void;
  /** Asks anew what delivers to each endpoint. */
  renew(): void;
  stats(): EventStats;
  close(timeoutSeconds: number): Promise<void>;
}

const PLACE_BATCH = 500;
/** From a nudge to its look: one look for all requests of that time. */
const NUDGE_DELAY_MS = 50;

/** Gives positions to new events, and has a lane for each endpoint. Threads and instances share the work. */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, log, attemptFor, timing, channel, onPosition } = options;
  const lanes = new Map<string, { readonly version: string; readonly lane: Lane }>();
  const counts = { delivered: 0, retried: 0, dead: 0 };
  let recorded: readonly string[] = [];
  let isClosed = false;
  let isNudged = false;
  let isUnreachable = false;
  let timer: NodeJS.Timeout | undefined;
  let nudgeTimer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  function wake(): void {
    isNudged = true;
    clearTimeout(timer);
    running ??= work().finally(() => {
      running = null;
      if (isNudged && !isClosed) wake();
    });
  }

  async function work(): Promise<void> {
    isNudged = false;
    try {
      let found = await lookForWork(db);
      recorded = found.types;
      if (found.is_waiting && !isClosed) {
        await placeAll();
        found = await lookForWork(db);
      }
      if (isClosed) return;
      onPosition(found.last_position);
      renewLanes(found);
      isUnreachable = false;
      sleep(recorded.length === 0 && lanes.size === 0 ? timing.idlePollSeconds : timing.pollSeconds);
    } catch (error) {
      if (!isUnreachable && !(error instanceof SchemaNotReadyError) && !isClosed) {
        const reason = error instanceof Error ? error.message : 'unknown';
        log.warn({ component: 'events', reason }, 'Events cannot be read: they wait in the database');
      }
      isUnreachable = true;
      sleep(timing.pollSeconds);
    }
  }

  async function placeAll(): Promise<void> {
    let placed = 0;
    do {
      placed = await placeEvents(db, PLACE_BATCH, channel);
    } while (placed === PLACE_BATCH && !isClosed);
  }

  function renewLanes({ endpoints }: EventWork): void {
    const current = new Set(endpoints.map(({ id }) => id));
    for (const [id, { lane }] of lanes) {
      if (current.has(id)) continue;
      lanes.delete(id);
      void lane.close(0);
    }
    for (const endpoint of endpoints) {
      const { id, is_due: isDue, ...rest } = endpoint;
      const version = JSON.stringify(rest);
      const known = lanes.get(id);
      if (known?.version !== version) {
        void known?.lane.close(0);
        const found = attemptFor(endpoint);
        if (found === null) {
          lanes.delete(id);
          continue;
        }
        const count = (result: keyof EventStats) => {
          counts[result] += 1;
        };
        lanes.set(id, { version, lane: openLane({ db, log, endpointId: id, ...found, timing, count }) });
      }
      if (isDue) lanes.get(id)?.lane.pump();
    }
  }

  function sleep(seconds: number): void {
    if (isClosed) return;
    // Up to a fifth more, so that instances do not look in step.
    timer = setTimeout(wake, seconds * (1 + Math.random() / 5) * 1000);
    timer.unref();
  }

  wake();
  return {
    recorded: () => recorded,
    nudge() {
      if (isClosed) return;
      nudgeTimer ??= setTimeout(() => {
        nudgeTimer = undefined;
        wake();
      }, NUDGE_DELAY_MS);
    },
    renew() {
      for (const { lane } of lanes.values()) void lane.close(0);
      lanes.clear();
    },
    stats: () => ({ ...counts }),
    async close(timeoutSeconds) {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(nudgeTimer);
      await running;
      await Promise.all([...lanes.values()].map(({ lane }) => lane.close(timeoutSeconds)));
    },
  };
}
