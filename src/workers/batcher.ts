/** About 1 ms of signing. */
const MOST_JOBS = 256;
/** Some 20 MB of heap in the thread at most, all copies counted; its limit is 64. */
const MOST_CHARACTERS = 1_048_576;

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Hands small jobs to a thread in batches: whatever arrives while one message is under way goes with the next. There is
 * no timer, so an idle pool answers at once. A message costs some 40 µs, a token in a batch under 5 (design, section 7).
 */
export class Batcher<Job, Answer> {
  readonly #send: (jobs: Job[]) => Promise<Answer[]>;
  readonly #countCharacters: (job: Job) => number;
  readonly #lanes: number;
  #freeLanes: number;
  #waiting: Waiting<Job, Answer>[] = [];
  #isFlushPlanned = false;

  /**
   * @param lanes messages that may be under way at once: one for each thread
   * @param send hands jobs over; answers come back in the same order
   * @param countCharacters size of a job
   */
  constructor(lanes: number, send: (jobs: Job[]) => Promise<Answer[]>, countCharacters: (job: Job) => number) {
    this.#lanes = lanes;
    this.#freeLanes = lanes;
    this.#send = send;
    this.#countCharacters = countCharacters;
  }

  /** Nothing waits and nothing is under way. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#freeLanes === this.#lanes;
  }

  /** Jobs not handed over yet. */
  get queued(): number {
    return this.#waiting.length;
  }

  add(job: Job): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#freeLanes === 0 || this.#isFlushPlanned) return;
      this.#isFlushPlanned = true;
      queueMicrotask(() => {
        this.#isFlushPlanned = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    while (this.#freeLanes > 0 && this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      this.#freeLanes -= 1;
      void this.#deliver(batch).finally(() => {
        this.#freeLanes += 1;
        this.#flush();
      });
    }
  }

  #takeBatch(): Waiting<Job, Answer>[] {
    let count = 0;
    let characters = 0;
    do {
      characters += this.#countCharacters(this.#waiting[count]!.job);
      count += 1;
    } while (count < Math.min(this.#waiting.length, MOST_JOBS) && characters < MOST_CHARACTERS);
    return this.#waiting.splice(0, count);
  }

  async #deliver(batch: readonly Waiting<Job, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(batch.map(({ job }) => job));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      if (batch.length === 1) return batch[0]!.reject(error);
      // One job that kills the thread must fail only itself (REL-10), and doing such a job twice does no harm.
      for (const waiting of batch) await this.#deliver([waiting]);
    }
  }
}
