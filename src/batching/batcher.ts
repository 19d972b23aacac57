interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

export interface BatcherOptions<Job, Answer> {
  /** Batches in progress at once: one per thread or connection. */
  readonly concurrency: number;
  /** Most jobs of a batch; a function where it changes. */
  readonly maxJobs: number | (() => number);
  /**
   * Runs jobs and returns their answers in order. The batch ends without waiting for answers that are still promises.
   */
  send(jobs: Job[]): Promise<readonly (Answer | Promise<Answer>)[]>;
  /**
   * While a batch is in progress, the next one starts only when it is full or its first job has waited this long.
   * Default: it starts at once.
   */
  readonly lingerMs?: number;
  /** How long a job that can wait is held back for others. Default: until the next turn of the event loop. */
  readonly patienceMs?: number;
  /**
   * Whether the next batch waits for one poll of the event loop, to include jobs whose requests have reached the
   * sockets. With 64 connections a statement then serves 26 calls of GET /user instead of 20, and throughput is 5 %
   * higher; for signatures it only adds latency. Default: false.
   */
  readonly waitsForPoll?: boolean;
  /** Limit of the total size of a batch. Default: none. */
  readonly maxCharacters?: number;
  countCharacters?(job: Job): number;
  /** Whether the jobs of a failed batch are retried singly, so that only the faulty job fails. Default: always. */
  shouldRetrySingly?(error: unknown): boolean;
  /** A job that has waited longer than this is rejected. Default: never. */
  readonly maxWaitMs?: number;
  /** Longest queue; further jobs are rejected at once. Default: no limit. */
  readonly maxWaiting?: number;
  /** The error of a rejected job. */
  makeFullError?(): Error;
}

/**
 * Runs small jobs in batches: jobs that arrive while one batch is in progress form the next. Jobs that cannot wait start
 * one at once, so an idle server answers without delay. A message to a thread costs 40 µs, a token in a batch less than 5;
 * a statement for 32 callers costs little more than one for a single caller (docs/decisions.md, Batching).
 */
export class Batcher<Job, Answer> {
  readonly #options: BatcherOptions<Job, Answer>;
  #freeSlots: number;
  #waiting: Waiting<Job, Answer>[] = [];
  #isFlushPlanned = false;
  #lingerTimer: NodeJS.Timeout | undefined;
  #patienceTimer: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions<Job, Answer>) {
    this.#options = options;
    this.#freeSlots = options.concurrency;
  }

  /** No job waits or runs. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#freeSlots === this.#options.concurrency;
  }

  /** Jobs that wait. */
  get queued(): number {
    return this.#waiting.length;
  }

  get #maxJobs(): number {
    const { maxJobs } = this.#options;
    return typeof maxJobs === 'number' ? maxJobs : maxJobs();
  }

  /** @param canWait the answer is not needed yet: the job goes with the next batch, or starts one after `patienceMs` */
  add(job: Job, canWait = false): Promise<Answer> {
    const { maxWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#waiting.length >= maxWaiting) return Promise.reject(this.#fullError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject, sinceMs: performance.now() });
      if (canWait && this.#waiting.length < this.#maxJobs) this.#startPatience();
      else this.hurry();
    });
  }

  /** Starts a batch with all jobs that wait, if a slot is free, also with those that can wait. */
  hurry(): void {
    if (this.#waiting.length === 0 || this.#freeSlots === 0 || this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #startPatience(): void {
    const { patienceMs = 0 } = this.#options;
    this.#patienceTimer ??= setTimeout(() => this.#flush(), patienceMs).unref();
  }

  #flush(): void {
    clearTimeout(this.#patienceTimer);
    this.#patienceTimer = undefined;
    this.#rejectOverdue();
    while (this.#freeSlots > 0 && this.#waiting.length > 0) {
      if (this.#shouldLinger()) return;
      const batch = this.#takeBatch();
      this.#freeSlots -= 1;
      void this.#deliver(batch).finally(() => {
        this.#freeSlots += 1;
        const { waitsForPoll = false } = this.#options;
        const { length } = this.#waiting;
        if (waitsForPoll && length > 0 && length < this.#maxJobs) afterNextPoll(() => this.#flush());
        else this.#flush();
      });
    }
  }

  /** Fewer and larger batches cost less: the overhead of a statement equals that of ten rows. */
  #shouldLinger(): boolean {
    const { lingerMs, concurrency } = this.#options;
    if (lingerMs === undefined || this.#freeSlots === concurrency) return false;
    if (this.#waiting.length >= this.#maxJobs) return false;
    const leftMs = this.#waiting[0]!.sinceMs + lingerMs - performance.now();
    if (leftMs <= 0) return false;
    this.#lingerTimer ??= setTimeout(() => {
      this.#lingerTimer = undefined;
      this.#flush();
    }, Math.ceil(leftMs)).unref();
    return true;
  }

  #fullError(): Error {
    return this.#options.makeFullError?.() ?? new Error('Too many jobs are waiting, or this one waited too long.');
  }

  /** Jobs are in order of arrival, so the overdue ones come first. */
  #rejectOverdue(): void {
    const { maxWaitMs } = this.#options;
    if (maxWaitMs === undefined) return;
    const oldest = performance.now() - maxWaitMs;
    const inTime = this.#waiting.findIndex(({ sinceMs }) => sinceMs >= oldest);
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime);
    for (const { reject } of late) reject(this.#fullError());
  }

  #takeBatch(): Waiting<Job, Answer>[] {
    const { maxCharacters = Number.POSITIVE_INFINITY, countCharacters } = this.#options;
    const maxJobs = this.#maxJobs;
    let count = 0;
    let characters = 0;
    do {
      characters += countCharacters?.(this.#waiting[count]!.job) ?? 0;
      count += 1;
    } while (count < Math.min(this.#waiting.length, maxJobs) && characters < maxCharacters);
    return this.#waiting.splice(0, count);
  }

  async #deliver(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    try {
      // Not map(): V8 treats its arrays as possibly holey, and clones those member by member for a thread.
      const jobs: Job[] = [];
      for (const { job } of batch) jobs.push(job);
      const answers = await this.#options.send(jobs);
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      if (batch.length === 1 || this.#options.shouldRetrySingly?.(error) === false) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // A job that kills a thread must only fail itself (REL-10); running the jobs twice is harmless.
      for (const waiting of batch) await this.#deliver([waiting]);
    }
  }
}

/** The first setImmediate() still runs in this iteration of the event loop. */
function afterNextPoll(act: () => void): void {
  setImmediate(() => setImmediate(act));
}
