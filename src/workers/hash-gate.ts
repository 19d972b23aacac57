import { performance } from 'node:perf_hooks';
import { CryptoPoolFullError } from './errors.js';
import { JobTime } from './job-time.js';

/** Longest wait of a password job for a thread (REL-09). */
const LONGEST_WAIT_SECONDS = 2;

/** Capacity reserved for one future job. */
export interface HashSlot {
  isHeld: boolean;
}

interface Waiting {
  readonly sinceMilliseconds: number;
  readonly start: () => void;
  readonly reject: (error: CryptoPoolFullError) => void;
}

/**
 * Runs as many hash jobs as there are threads, queues a few, and rejects the others at once. The check is a comparison,
 * so a request that must be shed never reaches the database. The wait is estimated from the measured rate; jobs that
 * still wait too long, because the machine became busy, are rejected then.
 */
export class HashGate {
  rejected = 0;
  #running = 0;
  #held = 0;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #jobTime: JobTime;
  readonly threads: number;
  readonly maxQueued: number;
  readonly longestWaitSeconds: number;
  readonly now: () => number;

  /**
   * @param threads jobs that run at once
   * @param maxQueued jobs that may wait for a thread
   * @param millisecondsPerJob first estimate, from the warm-up
   * @param longestWaitSeconds for tests
   * @param now for tests
   */
  constructor(
    threads: number,
    maxQueued: number,
    millisecondsPerJob: number,
    longestWaitSeconds = LONGEST_WAIT_SECONDS,
    now = () => performance.now(),
  ) {
    this.threads = threads;
    this.maxQueued = maxQueued;
    this.longestWaitSeconds = longestWaitSeconds;
    this.now = now;
    this.#jobTime = new JobTime(millisecondsPerJob, now);
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** Jobs that run or wait, and reserved slots. */
  get #taken(): number {
    return this.#running + this.queued + this.#held;
  }

  get jobsPerSecond(): number {
    return (this.threads * 1000) / this.#jobTime.milliseconds;
  }

  /**
   * @throws CryptoPoolFullError when the queue is full or the next job would wait more than two seconds. With an empty
   *   queue the estimate does not count, since it may come from a time of higher load (REL-33).
   */
  assertCapacity(): void {
    const ahead = this.#taken - this.threads;
    if (ahead < 0) return;
    if (ahead < this.maxQueued && (ahead === 0 || this.#waitSeconds(ahead) <= this.longestWaitSeconds)) return;
    throw this.#fullError();
  }

  /**
   * Reserves a slot while the request looks up what to hash. Otherwise 200 simultaneous sign-ins would all pass the
   * check, look up their accounts, and most be rejected only then.
   * @param work passes the slot to {@link run}; an unused one is released at its end
   * @throws CryptoPoolFullError before the work starts
   */
  async withSlot<T>(work: (slot: HashSlot) => Promise<T>): Promise<T> {
    this.assertCapacity();
    const slot = { isHeld: true };
    this.#held += 1;
    try {
      return await work(slot);
    } finally {
      this.#releaseSlot(slot);
    }
  }

  /**
   * Runs a job when a thread is free.
   * @param job starts the job and returns its value and the milliseconds a thread was busy
   * @param slot reserved for the job
   * @throws CryptoPoolFullError before the job starts: at once without a slot, or after two seconds in the queue
   */
  async run<T>(job: () => Promise<{ readonly value: T; readonly milliseconds: number }>, slot?: HashSlot): Promise<T> {
    if (slot?.isHeld) this.#releaseSlot(slot);
    else this.assertCapacity();
    if (this.#running === 0) this.#jobTime.beginWork();
    if (this.#running < this.threads) this.#running += 1;
    else await this.#waitForThread();
    try {
      const { value, milliseconds } = await job();
      this.#jobTime.add(milliseconds);
      return value;
    } finally {
      const next = this.#waiting.shift();
      // Handed over directly, so that a new job cannot take it in between.
      if (next) next.start();
      else this.#running -= 1;
      if (this.#running === 0) this.#jobTime.endWork();
    }
  }

  #waitSeconds(ahead: number): number {
    return (ahead + 1) / this.jobsPerSecond;
  }

  #releaseSlot(slot: HashSlot): void {
    if (slot.isHeld) this.#held -= 1;
    slot.isHeld = false;
  }

  #waitForThread(): Promise<void> {
    return new Promise((start, reject) => {
      this.#waiting.push({ sinceMilliseconds: this.now(), start, reject });
      this.#timer ??= setTimeout(() => this.#rejectOverdue(), this.longestWaitSeconds * 1000).unref();
    });
  }

  #rejectOverdue(): void {
    const dueMilliseconds = this.longestWaitSeconds * 1000;
    // A timer may fire up to a millisecond early.
    const now = this.now() + 1;
    while (this.#waiting.length > 0 && now - this.#waiting[0]!.sinceMilliseconds >= dueMilliseconds) {
      this.#waiting.shift()!.reject(this.#fullError());
    }
    const [first] = this.#waiting;
    this.#timer =
      first && setTimeout(() => this.#rejectOverdue(), first.sinceMilliseconds + dueMilliseconds - now).unref();
  }

  #fullError(): CryptoPoolFullError {
    this.rejected += 1;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#taken / this.jobsPerSecond));
    return new CryptoPoolFullError('Every password hashing thread is busy and the queue is full.', retryAfterSeconds);
  }
}
