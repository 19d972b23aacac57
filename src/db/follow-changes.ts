/** Keeps what a process knows equal to what is in the database. */
import { type Listener, listenTo } from './listen.js';
import type { DatabaseLog } from './types.js';

export interface FollowChangesOptions {
  readonly url: string;
  readonly channel: string;
  readonly log: DatabaseLog;
  /** Sends this payload to the channel. */
  readonly notify: (payload: string) => Promise<void>;
  /** Reads what is there. One at a time. */
  readonly look: () => Promise<void>;
  /** Milliseconds until each moment at which something changes by itself. Default: there is none. */
  readonly dueMs?: () => readonly number[];
}

export interface ChangeFollower {
  /** Looks into the database, now or once the look that runs has ended. @throws what `look` throws */
  look(): Promise<void>;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

/** All processes follow a change within 5 s, also where no notification arrives. */
const LOOK_MS = { listening: 30_000, deaf: 4000, failed: 1000 };
/** What is due has happened this long after it, at most. */
const DUE_MARGIN_MS = 200;
const PING = 'ping';

/** Looks at once, at every notification, and at an interval. */
export function followChanges({ url, channel, log, ...options }: FollowChangesOptions): ChangeFollower {
  let looking: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isClosed = false;
  let isFailing = false;
  let hearsPings = false;
  let timer: NodeJS.Timeout | undefined;

  const listener: Listener = listenTo({
    url,
    channel,
    log,
    onNotice(payload) {
      if (payload === PING) hearsPings = true;
      else lookSoon();
      // An empty payload: the connection is new, and may lead through a pooler that delivers nothing.
      if (payload !== '') return;
      hearsPings = false;
      options.notify(PING).catch(() => undefined);
    },
  });

  function look(): Promise<void> {
    if (looking !== undefined) {
      // What runs may have read before the change.
      next ??= looking
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return look();
        });
      return next;
    }
    looking = lookOnce().finally(() => {
      looking = undefined;
      schedule();
    });
    return looking;
  }

  function lookSoon(): void {
    if (!isClosed) look().catch(() => undefined);
  }

  async function lookOnce(): Promise<void> {
    if (isClosed) return;
    try {
      await options.look();
      isFailing = false;
    } catch (error) {
      isFailing = true;
      throw error;
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (isClosed) return;
    const usual = listener.isListening && hearsPings ? LOOK_MS.listening : LOOK_MS.deaf;
    const due = (options.dueMs?.() ?? []).map((ms) => ms + DUE_MARGIN_MS);
    const next = Math.max(DUE_MARGIN_MS, Math.min(usual, ...due));
    const delayMs = isFailing ? LOOK_MS.failed : next;
    timer = setTimeout(lookSoon, delayMs * (1 + Math.random() / 10)).unref();
  }

  lookSoon();
  return {
    look,
    get isClosed() {
      return isClosed;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await listener.close();
      await (next ?? looking)?.catch(() => undefined);
    },
  };
}
