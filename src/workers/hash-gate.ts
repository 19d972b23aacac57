import { CryptoPoolFullError } from './errors.js';

/** Longest a password job may be expected to wait for a thread (REL-09). */
const LONGEST_WAIT_SECONDS = 2;
/** Weight of the newest job in the moving average: about the last 20 jobs count. */
const NEWEST_WEIGHT = 0.1;

/**
 * Counts the hash jobs given to the pool and turns away those that would wait too long. It counts by itself, so that
 * asking costs a comparison and a request that will be shed is shed before it reaches the database (REL-09).
 */
export class HashGate {
  refused = 0;
  #taken = 0;
  #millisecondsPerJob: number;

  /**
   * @param threads jobs that run at once
   * @param maxQueued jobs that may wait beside them
   * @param millisecondsPerJob first estimate, measured while warming the threads
   */
  constructor(
    readonly threads: number,
    readonly maxQueued: number,
    millisecondsPerJob: number,
  ) {
    this.#millisecondsPerJob = millisecondsPerJob;
  }

  get running(): number {
    return Math.min(this.#taken, this.threads);
  }

  get queued(): number {
    return this.#taken - this.running;
  }

  get jobsPerSecond(): number {
    return (this.threads * 1000) / this.#millisecondsPerJob;
  }

  /** @throws CryptoPoolFullError when the next job would find the queue full or wait more than two seconds */
  assertRoom(): void {
    if (this.#taken < this.threads) return;
    const isShort = this.queued < this.maxQueued;
    if (isShort && (this.queued + 1) / this.jobsPerSecond <= LONGEST_WAIT_SECONDS) return;
    this.refused += 1;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#taken / this.jobsPerSecond));
    throw new CryptoPoolFullError('Every password hashing thread is busy and the queue is full.', retryAfterSeconds);
  }

  /**
   * Counts a job in for as long as it waits and runs.
   * @param job starts the job; the milliseconds a thread was busy with it come back beside its value
   * @throws CryptoPoolFullError before the job is started
   */
  async pass<T>(job: () => Promise<{ readonly value: T; readonly milliseconds: number }>): Promise<T> {
    this.assertRoom();
    this.#taken += 1;
    try {
      const { value, milliseconds } = await job();
      this.#millisecondsPerJob += NEWEST_WEIGHT * (milliseconds - this.#millisecondsPerJob);
      return value;
    } finally {
      this.#taken -= 1;
    }
  }
}
