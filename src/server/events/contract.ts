import type { StoredEvent } from '../../db/events.js';
import type { EventType } from '../config/event-types.js';

/**
 * Something inside the server that handles events, each at least once. A handler that fails is called again later, as an
 * endpoint is; it never delays the request that caused the event.
 */
export interface EventSubscriber {
  /** Unique; deliveries that wait belong to it, also after a restart. */
  readonly name: `hook:${string}`;
  readonly types: readonly EventType[];
  /** Off: nothing is recorded for it. Asked when the configuration is new. Default: on. */
  isOn?(): boolean;
  /** `event.id` is the same in each call for one event. */
  handle(event: StoredEvent): Promise<void>;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly isDelivered: true; readonly status: number | null }
  | {
      readonly isDelivered: false;
      readonly status: number | null;
      /** For administrators and the log: no secret, no part of the answer. */
      readonly error: string;
      /** The receiver wants no further events (410). */
      readonly isGone?: boolean;
      /** From Retry-After. */
      readonly retryAfterSeconds?: number;
    };

export type Attempt = (event: StoredEvent) => Promise<Outcome>;

export interface EventStats {
  readonly delivered: number;
  readonly retried: number;
  readonly dead: number;
}

/** Timing of deliveries; tests make it shorter. */
export interface EventTiming {
  /** Longest time between two looks for work. */
  readonly pollSeconds: number;
  /** The same while nothing is recorded. */
  readonly idlePollSeconds: number;
  readonly retrySeconds: readonly number[];
  /** Longer than an attempt (10 s) with its statements. */
  readonly leaseSeconds: number;
  /** Attempts at a time for each endpoint and server thread. */
  readonly concurrency: number;
}

export const defaultTiming: EventTiming = {
  pollSeconds: 1,
  idlePollSeconds: 30,
  retrySeconds: [5, 30, 120, 600, 3600, 18_000, 36_000, 86_400],
  leaseSeconds: 30,
  concurrency: 4,
};
