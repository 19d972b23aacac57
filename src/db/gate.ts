import { PoolExhaustedError } from './errors.js';

export interface GateOptions {
  /** Callers beyond this limit are admitted only after one has waited for {@link GROW_AFTER_MS}. */
  readonly softLimit: number;
  /** Never more than this at once. */
  readonly hardLimit: number;
  /** Longest queue; further callers are rejected at once. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly since: number;
  readonly enter: () => void;
}

// A ninth connection pays only when the first eight are stuck: with 64 callers a healthy pool of 8 keeps each waiting
// less than 10 ms. Time spent opening a connection does not count: a cold start under load would otherwise open one per
// caller.
const GROW_AFTER_MS = 20;

/**
 * The queues in front of the connections: first in, first out, bounded in length and time (REL-05). pg-pool's own queue
 * has no bounds, and it ties a caller to the connection being opened for it even when another one is free first.
 * Batches have a queue of their own, and the two alternate: a batch carries up to 32 refreshes or reads, and behind the
 * look-ups of many sign-ins it waited 2.6 s on a database with a latency of 50 ms.
 */
export class Gate {
  #limit: number;
  #hardLimit: number;
  #active = 0;
  #opening = 0;
  #lastOpenedMs = 0;
  readonly #singles: Waiter[] = [];
  readonly #batches: Waiter[] = [];
  #wasBatch = false;
  #growTimer: NodeJS.Timeout | undefined;
  #onEmpty: (() => void) | undefined;
  private readonly options: GateOptions;

  constructor(options: GateOptions) {
    this.options = options;
    this.#hardLimit = options.hardLimit;
    this.#limit = Math.min(options.softLimit, options.hardLimit);
  }

  get waiting(): number {
    return this.#singles.length + this.#batches.length;
  }

  /** The highest number of connections, as far as it is known. */
  get hardLimit(): number {
    return this.#hardLimit;
  }

  /**
   * Waits for admission. Each success must be followed by exactly one {@link release}.
   * @param isBatch many callers wait for this one; their number is bounded by the batcher, not by the queue
   * @throws PoolExhaustedError at once when the queue is full, or after `timeoutMs`
   */
  acquire(timeoutMs: number, isBatch = false): Promise<void> {
    if (this.#active < this.#limit && this.waiting === 0) {
      this.#active += 1;
      return Promise.resolve();
    }
    const queue = isBatch ? this.#batches : this.#singles;
    if (!isBatch && queue.length >= this.options.maxWaiting) return Promise.reject(new PoolExhaustedError());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1);
        reject(new PoolExhaustedError());
        this.#admit();
      }, timeoutMs);
      const waiter = {
        since: performance.now(),
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.push(waiter);
      this.#watchQueue();
    });
  }

  release(): void {
    this.#active -= 1;
    this.#admit();
    if (this.#active === 0 && this.waiting === 0) this.#onEmpty?.();
  }

  /** A connection is being opened; the limit does not grow until {@link endOpening}. */
  beginOpening(): void {
    this.#opening += 1;
  }

  endOpening(): void {
    this.#opening -= 1;
    this.#lastOpenedMs = performance.now();
  }

  /** Sets the number the server permits, or a lower one when it rejects a connection. */
  setHardLimit(limit: number): void {
    this.#hardLimit = Math.max(1, limit);
    this.#limit = Math.min(Math.max(this.#limit, 1), this.#hardLimit);
    this.#watchQueue();
  }

  /** Returns to the soft limit once the connections above it were closed as idle. */
  shrinkTo(open: number): void {
    const softLimit = Math.min(this.options.softLimit, this.#hardLimit);
    if (this.waiting === 0) this.#limit = Math.max(softLimit, Math.min(open, this.#limit));
  }

  /** Resolves when no caller is admitted or waiting. */
  async drain(): Promise<void> {
    if (this.#active === 0 && this.waiting === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  #admit(): void {
    while (this.#active < this.#limit) {
      const waiter = this.#next();
      if (waiter === undefined) return;
      this.#active += 1;
      waiter.enter();
    }
  }

  #next(): Waiter | undefined {
    const isBatch = this.#batches.length > 0 && (this.#singles.length === 0 || !this.#wasBatch);
    this.#wasBatch = isBatch;
    return (isBatch ? this.#batches : this.#singles).shift();
  }

  /** The longest waiting caller of both queues. */
  #oldest(): { readonly since: number } | undefined {
    const [single, batch] = [this.#singles[0], this.#batches[0]];
    return batch === undefined || (single !== undefined && single.since <= batch.since) ? single : batch;
  }

  #watchQueue(): void {
    const oldest = this.#oldest();
    if (oldest === undefined || this.#growTimer !== undefined || this.#limit >= this.#hardLimit) return;
    const dueMs = Math.max(oldest.since, this.#lastOpenedMs) + GROW_AFTER_MS - performance.now();
    this.#growTimer = setTimeout(
      () => {
        this.#growTimer = undefined;
        this.#growIfStuck();
        this.#watchQueue();
      },
      Math.max(1, dueMs),
    );
    this.#growTimer.unref();
  }

  #growIfStuck(): void {
    const oldest = this.#oldest();
    if (oldest === undefined || this.#opening > 0) return;
    const stuckMs = performance.now() - Math.max(oldest.since, this.#lastOpenedMs);
    // Timers may fire a fraction of a millisecond early.
    if (stuckMs < GROW_AFTER_MS - 1) return;
    this.#limit = Math.min(this.#hardLimit, this.#limit + Math.max(1, this.#limit >> 2));
    this.#admit();
  }
}
