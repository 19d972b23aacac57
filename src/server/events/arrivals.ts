/** Wakes requests that wait for the next event. */
import { type Listener, listenTo } from '../../db/listen.js';
import type { Log } from '../telemetry/log.js';

export interface Arrivals {
  /** The last position in the database. */
  note(position: number): void;
  /**
   * Resolves when there is an event after the position, when the time is over, and when the server stops.
   * @returns false at once when too many requests wait already, or the server stops
   */
  wait(position: number, timeoutMs: number): Promise<boolean>;
  /** Wakes all, and lets nobody wait from now on. */
  release(): void;
  close(): Promise<void>;
}

export interface ArrivalsOptions {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly log: Log;
  /** Looks for events now: some may have come while nothing listened. */
  readonly look: () => void;
  /** A connection that nobody needs is closed after this time. Tests make it shorter. */
  readonly keepListeningMs?: number;
}

interface Waiter {
  readonly position: number;
  wake(): void;
}

/** Requests that wait at a time, by thread. */
const MAX_WAITING = 64;
const KEEP_LISTENING_MS = 60_000;

/**
 * While requests wait, one connection listens: other threads and instances say there which position they have given out.
 * Behind a pooler that delivers no notifications, the dispatcher's look wakes them, within about a second.
 */
export function openArrivals(options: ArrivalsOptions): Arrivals {
  const { databaseUrl: url, channel, log, look, keepListeningMs = KEEP_LISTENING_MS } = options;
  const waiters = new Set<Waiter>();
  let latest = 0;
  let isReleased = false;
  let listener: Listener | undefined;
  let closeTimer: NodeJS.Timeout | undefined;

  function listen(): void {
    clearTimeout(closeTimer);
    closeTimer = undefined;
    listener ??= listenTo({
      url,
      channel,
      log,
      onNotice(payload) {
        if (payload === '') look();
        else note(Math.max(latest, Number(payload) || 0));
      },
    });
  }

  function closeListener(): void {
    const closing = listener;
    listener = undefined;
    closing?.close().catch(() => undefined);
  }

  function note(position: number): void {
    latest = position;
    for (const waiter of waiters) if (waiter.position < position) waiter.wake();
  }

  return {
    note,
    async wait(position, timeoutMs) {
      if (isReleased || waiters.size >= MAX_WAITING) return false;
      if (latest > position) return true;
      listen();
      await new Promise<void>((resolve) => {
        const waiter = {
          position,
          wake() {
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve();
          },
        };
        const timer = setTimeout(waiter.wake, timeoutMs);
        waiters.add(waiter);
      });
      if (waiters.size === 0 && !isReleased) closeTimer ??= setTimeout(closeListener, keepListeningMs).unref();
      return !isReleased;
    },
    release() {
      isReleased = true;
      for (const waiter of waiters) waiter.wake();
    },
    async close() {
      this.release();
      clearTimeout(closeTimer);
      await listener?.close();
    },
  };
}
