import { type ClaimedDelivery, claimDeliveries, disableEndpoint, settleDelivery } from '../../db/events.js';
import type { Database } from '../../db/types.js';
import type { Log } from '../telemetry/log.js';
import type { Attempt, EventTiming, Outcome } from './contract.js';

export interface LaneOptions {
  readonly db: Database;
  readonly log: Log;
  readonly endpointId: string;
  /** For the log: the host of the endpoint, or the name of a subscriber. */
  readonly target: string;
  readonly attempt: Attempt;
  readonly timing: EventTiming;
  readonly count: (result: 'delivered' | 'retried' | 'dead') => void;
}

/** Deliveries of this thread to one endpoint: a bounded number at a time, so that a slow endpoint delays no other. */
export interface Lane {
  /** Takes deliveries that are due, and continues until none is left. */
  pump(): void;
  /** Waits for running attempts; claims of those that last longer expire. */
  close(timeoutSeconds: number): Promise<void>;
}

const RETRY_AFTER_MAX_SECONDS = 3600;

export function openLane({ db, log, endpointId, target, attempt, timing, count }: LaneOptions): Lane {
  const running = new Set<Promise<void>>();
  let isClosed = false;
  let isClaiming = false;
  /** The last claim filled all places, or an attempt has ended since. */
  let isMoreDue = false;

  function pump(): void {
    isMoreDue = true;
    if (!isClaiming && !isClosed) void claim();
  }

  async function claim(): Promise<void> {
    isClaiming = true;
    try {
      while (isMoreDue && !isClosed && running.size < timing.concurrency) {
        isMoreDue = false;
        const free = timing.concurrency - running.size;
        const claimed = await claimDeliveries(db, endpointId, free, timing.leaseSeconds);
        if (claimed.length === free) isMoreDue = true;
        for (const delivery of claimed) start(delivery);
      }
    } catch (error) {
      log.debug({ component: 'events', target, error: nameOf(error) }, 'Deliveries could not be claimed');
    } finally {
      isClaiming = false;
    }
  }

  function start(delivery: ClaimedDelivery): void {
    const work = deliver(delivery)
      .catch((error: unknown) => {
        // The claim expires, and the delivery is repeated.
        if (!isClosed) log.warn({ component: 'events', target, error: nameOf(error) }, 'A delivery was not settled');
      })
      .then(() => {
        running.delete(work);
        pump();
      });
    running.add(work);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { event, attempts } = delivery;
    if (event === null) {
      return settleDelivery(db, endpointId, delivery, {
        state: 'delivered',
        delaySeconds: 0,
        status: null,
        error: null,
      });
    }
    const outcome = await attempt(event);
    if (outcome.isDelivered) {
      count('delivered');
      const result = { state: 'delivered', delaySeconds: 0, status: outcome.status, error: null } as const;
      return settleDelivery(db, endpointId, delivery, result);
    }
    const { status, error } = outcome;
    const facts = { component: 'events', target, event_id: event.id, event_type: event.type, attempt: attempts + 1 };
    if (outcome.isGone) {
      log.warn({ ...facts, status }, 'The endpoint answered 410 and is disabled');
      await disableEndpoint(db, endpointId, error);
    }
    const delaySeconds = outcome.isGone ? 0 : delayOf(attempts, outcome);
    if (delaySeconds === undefined) {
      count('dead');
      log.error({ ...facts, status, error }, 'An event could not be delivered and is given up');
      return settleDelivery(db, endpointId, delivery, { state: 'dead', delaySeconds: 0, status, error });
    }
    count('retried');
    log.debug({ ...facts, status, error, retry_in_seconds: Math.round(delaySeconds) }, 'A delivery failed');
    return settleDelivery(db, endpointId, delivery, { state: 'pending', delaySeconds, status, error });
  }

  /** @returns undefined after the last attempt */
  function delayOf(attempts: number, outcome: Outcome & { isDelivered: false }): number | undefined {
    const planned = timing.retrySeconds[attempts];
    if (planned === undefined) return undefined;
    // Up to a fifth more, so that failed deliveries do not come back all at once.
    const jittered = planned * (1 + Math.random() / 5);
    return Math.max(jittered, Math.min(outcome.retryAfterSeconds ?? 0, RETRY_AFTER_MAX_SECONDS));
  }

  return {
    pump,
    async close(timeoutSeconds) {
      isClosed = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutSeconds * 1000);
      });
      await Promise.race([Promise.all(running), late]);
      clearTimeout(timer);
    },
  };
}

const nameOf = (error: unknown): string =>
  error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown';
