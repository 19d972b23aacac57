/** Weight of the newest job in the moving average: about the last 20 jobs count. */
const NEWEST_WEIGHT = 0.1;
/** How many times the average a single job counts for at most, so that one that starved moves it by a fifth. */
const MOST_TIMES_AVERAGE = 3;
/** While nothing runs, this halves what the average lies above the usual time. */
const HALF_LIFE_MILLISECONDS = 100;

/**
 * Foretells how long a job keeps a thread. The measured time is that of the clock, so other load on the machine shows in
 * it, and it ends with that load: an average that only jobs can correct would refuse the very jobs that correct it. So it
 * returns to the usual time while no job runs.
 */
export class JobTime {
  #usualMilliseconds: number;
  #recentMilliseconds: number;
  #idleSinceMilliseconds: number | undefined;

  /**
   * @param warmUpMilliseconds a job on a thread that nothing disturbs
   * @param now a clock in milliseconds
   */
  constructor(
    warmUpMilliseconds: number,
    readonly now: () => number,
  ) {
    this.#usualMilliseconds = warmUpMilliseconds;
    this.#recentMilliseconds = warmUpMilliseconds;
  }

  get milliseconds(): number {
    if (this.#idleSinceMilliseconds === undefined) return this.#recentMilliseconds;
    const halvings = (this.now() - this.#idleSinceMilliseconds) / HALF_LIFE_MILLISECONDS;
    return this.#usualMilliseconds + (this.#recentMilliseconds - this.#usualMilliseconds) * 0.5 ** halvings;
  }

  /** From now on jobs run. */
  beginWork(): void {
    this.#recentMilliseconds = this.milliseconds;
    this.#idleSinceMilliseconds = undefined;
  }

  /** No job runs any more. */
  endWork(): void {
    this.#idleSinceMilliseconds = this.now();
  }

  /** Counts a job that is done. */
  add(milliseconds: number): void {
    const counted = Math.min(milliseconds, MOST_TIMES_AVERAGE * this.#recentMilliseconds);
    this.#recentMilliseconds += NEWEST_WEIGHT * (counted - this.#recentMilliseconds);
    // A server may have started while the machine was busy: what many jobs have shown corrects the warm-up.
    this.#usualMilliseconds = Math.min(this.#usualMilliseconds, this.#recentMilliseconds);
  }
}
