import { PoolExhaustedError } from './errors.js';

export interface GateOptions {
  /** Let in at once; beyond this only when somebody had to wait {@link GROW_AFTER_MS}. */
  readonly comfortable: number;
  /** Never more than this at a time. */
  readonly most: number;
  /** How long the line may get; the next one is refused at once. */
  readonly maxWaiting: number;
}

interface Waiter {
  readonly since: number;
  readonly enter: () => void;
}

// A connection opened beside eight busy ones pays only when they are stuck: with 64 callers a healthy pool of 8 keeps
// each waiting well under 10 ms. Counted from when the last connection was opened, not while one is being opened: a
// cold start under load would otherwise open one for every caller.
const GROW_AFTER_MS = 20;

/**
 * The lines in front of the connections: first come, first served, bounded in length and time (REL-05). pg-pool's own
 * line has neither bound, and pins a caller to the connection being opened for it even when another one is free first.
 * Batches stand in a line of their own, and the two take turns: a batch stands for up to 32 refreshes or reads, and
 * behind the look-ups of a storm of sign-ins it waited 2.6 s on a database that answered 50 ms late.
 */
export class Gate {
  #limit: number;
  #most: number;
  #inside = 0;
  #opening = 0;
  #lastOpenedMs = 0;
  readonly #singles: Waiter[] = [];
  readonly #batches: Waiter[] = [];
  #wasBatch = false;
  #growTimer: NodeJS.Timeout | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(private readonly options: GateOptions) {
    this.#most = options.most;
    this.#limit = Math.min(options.comfortable, options.most);
  }

  get waiting(): number {
    return this.#singles.length + this.#batches.length;
  }

  /** The most connections that may be open as far as is known now. */
  get most(): number {
    return this.#most;
  }

  /**
   * Waits for a place. Whoever got in must call {@link leave} exactly once.
   * @param isBatch many callers wait for this one place; the number of such is bounded by their lanes, not by the line
   * @throws PoolExhaustedError at once when the line is full, after `timeoutMs` when it did not move
   */
  enter(timeoutMs: number, isBatch = false): Promise<void> {
    if (this.#inside < this.#limit && this.waiting === 0) {
      this.#inside += 1;
      return Promise.resolve();
    }
    const line = isBatch ? this.#batches : this.#singles;
    if (!isBatch && line.length >= this.options.maxWaiting) return Promise.reject(new PoolExhaustedError());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiter), 1);
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
      line.push(waiter);
      this.#watchLine();
    });
  }

  leave(): void {
    this.#inside -= 1;
    this.#admit();
    if (this.#inside === 0 && this.waiting === 0) this.#onEmpty?.();
  }

  /** A caller inside waits for a new connection to be opened; growing stops until {@link endOpening}. */
  beginOpening(): void {
    this.#opening += 1;
  }

  endOpening(): void {
    this.#opening -= 1;
    this.#lastOpenedMs = performance.now();
  }

  /** The server says how many it grants; also used to step back when it refuses one more. */
  setMost(most: number): void {
    this.#most = Math.max(1, most);
    this.#limit = Math.min(Math.max(this.#limit, 1), this.#most);
    this.#watchLine();
  }

  /** Falls back to the comfortable number once the connections above it have been closed for idleness. */
  shrinkTo(open: number): void {
    const comfortable = Math.min(this.options.comfortable, this.#most);
    if (this.waiting === 0) this.#limit = Math.max(comfortable, Math.min(open, this.#limit));
  }

  /** Resolves when nobody is inside or waiting. */
  async empty(): Promise<void> {
    if (this.#inside === 0 && this.waiting === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  #admit(): void {
    while (this.#inside < this.#limit) {
      const waiter = this.#next();
      if (waiter === undefined) return;
      this.#inside += 1;
      waiter.enter();
    }
  }

  #next(): Waiter | undefined {
    const isBatch = this.#batches.length > 0 && (this.#singles.length === 0 || !this.#wasBatch);
    this.#wasBatch = isBatch;
    return (isBatch ? this.#batches : this.#singles).shift();
  }

  /** When the first in either line came. */
  #oldest(): { readonly since: number } | undefined {
    const [single, batch] = [this.#singles[0], this.#batches[0]];
    return batch === undefined || (single !== undefined && single.since <= batch.since) ? single : batch;
  }

  #watchLine(): void {
    const oldest = this.#oldest();
    if (oldest === undefined || this.#growTimer !== undefined || this.#limit >= this.#most) return;
    const dueMs = Math.max(oldest.since, this.#lastOpenedMs) + GROW_AFTER_MS - performance.now();
    this.#growTimer = setTimeout(
      () => {
        this.#growTimer = undefined;
        this.#growIfStuck();
        this.#watchLine();
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
    this.#limit = Math.min(this.#most, this.#limit + Math.max(1, this.#limit >> 2));
    this.#admit();
  }
}
