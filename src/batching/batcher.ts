interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

export interface BatcherOptions<Job, Answer> {
  /** Batches that may be under way at once: one for each thread or connection. */
  readonly lanes: number;
  readonly mostJobs: number;
  /** Hands jobs over; answers come back in the same order. The lane does not wait for one that is still a promise. */
  send(jobs: Job[]): Promise<readonly (Answer | Promise<Answer>)[]>;
  /**
   * Set, a further lane is taken only when a whole batch waits, or when the first in line has waited so long. Default:
   * at once.
   */
  readonly hesitationMs?: number;
  /**
   * Whether a lane that comes free waits one turn of the loop, so that what has reached the sockets by now goes along. With
   * 64 connections 26 calls of GET /user share a statement then instead of 20, and 5 % more of them are answered; with
   * signatures it only costs time. Default: it does not wait.
   */
  readonly waitsForPoll?: boolean;
  /** Bounds the sum of the sizes in one batch; default: no bound. */
  readonly mostCharacters?: number;
  countCharacters?(job: Job): number;
  /** Whether a batch that failed so is redone job by job, so that only the job at fault fails. Default: always. */
  isWorthRedoing?(error: unknown): boolean;
  /** A job that has waited longer than this when a lane comes free is refused. Default: never. */
  readonly patienceMs?: number;
  /** The next job is refused at once while so many wait. Default: no bound. */
  readonly mostWaiting?: number;
  /** What a refused job is told. */
  makeRefusal?(): Error;
}

/**
 * Hands small jobs over in batches: whatever arrives while one batch is under way goes with the next. There is no
 * timer, so an idle server answers as fast as without (design.md 7, 8: a message to a thread costs some 40 µs and a
 * token in a batch under 5; a statement for 32 callers costs little more than one for a single caller).
 */
export class Batcher<Job, Answer> {
  readonly #options: BatcherOptions<Job, Answer>;
  #freeLanes: number;
  #waiting: Waiting<Job, Answer>[] = [];
  #isFlushPlanned = false;
  #hesitation: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions<Job, Answer>) {
    this.#options = options;
    this.#freeLanes = options.lanes;
  }

  /** Nothing waits and nothing is under way. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#freeLanes === this.#options.lanes;
  }

  /** Jobs not handed over yet. */
  get queued(): number {
    return this.#waiting.length;
  }

  add(job: Job): Promise<Answer> {
    const { mostWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#waiting.length >= mostWaiting) return Promise.reject(this.#refusal());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject, sinceMs: performance.now() });
      if (this.#freeLanes === 0 || this.#isFlushPlanned) return;
      this.#isFlushPlanned = true;
      queueMicrotask(() => {
        this.#isFlushPlanned = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    this.#refuseLate();
    while (this.#freeLanes > 0 && this.#waiting.length > 0) {
      if (this.#isWorthWaiting()) return;
      const batch = this.#takeBatch();
      this.#freeLanes -= 1;
      void this.#deliver(batch).finally(() => {
        this.#freeLanes += 1;
        const { waitsForPoll = false, mostJobs } = this.#options;
        const { length } = this.#waiting;
        if (waitsForPoll && length > 0 && length < mostJobs) afterNextPoll(() => this.#flush());
        else this.#flush();
      });
    }
  }

  /** Fewer batches, and larger ones, take less of both sides: what a statement costs beside its rows is that of ten. */
  #isWorthWaiting(): boolean {
    const { hesitationMs, lanes, mostJobs } = this.#options;
    if (hesitationMs === undefined || this.#freeLanes === lanes || this.#waiting.length >= mostJobs) return false;
    const leftMs = this.#waiting[0]!.sinceMs + hesitationMs - performance.now();
    if (leftMs <= 0) return false;
    this.#hesitation ??= setTimeout(() => {
      this.#hesitation = undefined;
      this.#flush();
    }, Math.ceil(leftMs)).unref();
    return true;
  }

  #refusal(): Error {
    return this.#options.makeRefusal?.() ?? new Error('Too many jobs wait, or this one waited too long.');
  }

  /** They stand in the order they came, so the late ones are in front. */
  #refuseLate(): void {
    const { patienceMs } = this.#options;
    if (patienceMs === undefined) return;
    const oldest = performance.now() - patienceMs;
    const inTime = this.#waiting.findIndex(({ sinceMs }) => sinceMs >= oldest);
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime);
    for (const { reject } of late) reject(this.#refusal());
  }

  #takeBatch(): Waiting<Job, Answer>[] {
    const { mostJobs, mostCharacters = Number.POSITIVE_INFINITY, countCharacters } = this.#options;
    let count = 0;
    let characters = 0;
    do {
      characters += countCharacters?.(this.#waiting[count]!.job) ?? 0;
      count += 1;
    } while (count < Math.min(this.#waiting.length, mostJobs) && characters < mostCharacters);
    return this.#waiting.splice(0, count);
  }

  async #deliver(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    try {
      // Not map(): its arrays may have holes as far as V8 knows, and such are handed to a thread member by member.
      const jobs: Job[] = [];
      for (const { job } of batch) jobs.push(job);
      const answers = await this.#options.send(jobs);
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      if (batch.length === 1 || this.#options.isWorthRedoing?.(error) === false) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One job that kills a thread must fail only itself (REL-10), and doing such a job twice does no harm.
      for (const waiting of batch) await this.#deliver([waiting]);
    }
  }
}

/** The first of the two still belongs to this turn. */
function afterNextPoll(act: () => void): void {
  setImmediate(() => setImmediate(act));
}
