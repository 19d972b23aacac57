import { performance } from 'node:perf_hooks';
import { CryptoPoolFullError } from './errors.js';
import { JobTime } from './job-time.js';

/** Longest a password job may wait for a thread (REL-09). */
const LONGEST_WAIT_SECONDS = 2;

/** Room for one job that is still to come. */
export interface HashPlace {
  isHeld: boolean;
}

interface Waiting {
  readonly sinceMilliseconds: number;
  readonly start: () => void;
  readonly refuse: (error: CryptoPoolFullError) => void;
}

/**
 * Lets as many hash jobs run as there are threads, a few wait in order, and turns the others away at once. It counts by
 * itself, so that asking costs a comparison and a request that will be shed is shed before it reaches the database. The
 * wait is foretold from the measured rate; where that was wrong, because the machine became busy, it is cut short.
 */
export class HashGate {
  refused = 0;
  #running = 0;
  #held = 0;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #jobTime: JobTime;

  /**
   * @param threads jobs that run at once
   * @param maxQueued jobs that may wait beside them
   * @param millisecondsPerJob first estimate, measured while warming the threads
   * @param longestWaitSeconds for tests
   * @param now for tests
   */
  constructor(
    readonly threads: number,
    readonly maxQueued: number,
    millisecondsPerJob: number,
    readonly longestWaitSeconds = LONGEST_WAIT_SECONDS,
    readonly now = () => performance.now(),
  ) {
    this.#jobTime = new JobTime(millisecondsPerJob, now);
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** Jobs that run or wait, and places kept for others. */
  get #taken(): number {
    return this.#running + this.queued + this.#held;
  }

  get jobsPerSecond(): number {
    return (this.threads * 1000) / this.#jobTime.milliseconds;
  }

  /**
   * @throws CryptoPoolFullError when the next job would find the queue full or wait more than two seconds; an empty queue
   * is never refused for the time a job is said to take, since that may have been measured on a busier machine (REL-33)
   */
  assertRoom(): void {
    const ahead = this.#taken - this.threads;
    if (ahead < 0) return;
    if (ahead < this.maxQueued && (ahead === 0 || this.#waitSeconds(ahead) <= this.longestWaitSeconds)) return;
    throw this.#refusal();
  }

  /**
   * Keeps room for a job while its request finds out what is to be hashed. Of 200 sign-ins at one instant all would
   * see room otherwise, look their accounts up, and most be refused only then.
   * @param work hands the place to {@link pass}; one it does not use is given back at its end
   * @throws CryptoPoolFullError at once, with the work not started
   */
  async withPlace<T>(work: (place: HashPlace) => Promise<T>): Promise<T> {
    this.assertRoom();
    const place = { isHeld: true };
    this.#held += 1;
    try {
      return await work(place);
    } finally {
      this.#giveBack(place);
    }
  }

  /**
   * Runs a job when its turn comes.
   * @param job starts the job; the milliseconds a thread was busy with it come back beside its value
   * @param place kept for it, and used up by it
   * @throws CryptoPoolFullError with the job not started: now, unless a place was kept, or after two seconds of waiting
   */
  async pass<T>(
    job: () => Promise<{ readonly value: T; readonly milliseconds: number }>,
    place?: HashPlace,
  ): Promise<T> {
    if (place?.isHeld) this.#giveBack(place);
    else this.assertRoom();
    if (this.#running === 0) this.#jobTime.beginWork();
    if (this.#running < this.threads) this.#running += 1;
    else await this.#takeTurn();
    try {
      const { value, milliseconds } = await job();
      this.#jobTime.add(milliseconds);
      return value;
    } finally {
      const next = this.#waiting.shift();
      // The place goes over without being free in between, where a newcomer could take it.
      if (next) next.start();
      else this.#running -= 1;
      if (this.#running === 0) this.#jobTime.endWork();
    }
  }

  #waitSeconds(ahead: number): number {
    return (ahead + 1) / this.jobsPerSecond;
  }

  #giveBack(place: HashPlace): void {
    if (place.isHeld) this.#held -= 1;
    place.isHeld = false;
  }

  #takeTurn(): Promise<void> {
    return new Promise((start, refuse) => {
      this.#waiting.push({ sinceMilliseconds: this.now(), start, refuse });
      this.#timer ??= setTimeout(() => this.#refuseOverdue(), this.longestWaitSeconds * 1000).unref();
    });
  }

  #refuseOverdue(): void {
    const dueMilliseconds = this.longestWaitSeconds * 1000;
    // A timer may fire up to a millisecond early.
    const now = this.now() + 1;
    while (this.#waiting.length > 0 && now - this.#waiting[0]!.sinceMilliseconds >= dueMilliseconds) {
      this.#waiting.shift()!.refuse(this.#refusal());
    }
    const [first] = this.#waiting;
    this.#timer =
      first && setTimeout(() => this.#refuseOverdue(), first.sinceMilliseconds + dueMilliseconds - now).unref();
  }

  #refusal(): CryptoPoolFullError {
    this.refused += 1;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#taken / this.jobsPerSecond));
    return new CryptoPoolFullError('Every password hashing thread is busy and the queue is full.', retryAfterSeconds);
  }
}
