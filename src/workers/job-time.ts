/** Weight of the latest job in the moving average, which spans about 20 jobs. */
const NEWEST_WEIGHT = 0.1;
/** A job counts for at most this many times the average, so that one that starved moves it by a fifth. */
const MAX_TIMES_AVERAGE = 3;
/** While no job runs, the difference to the usual time halves in this time. */
const HALF_LIFE_MILLISECONDS = 100;

/**
 * Estimates how long a job occupies a thread. It measures wall-clock time, which includes other load on the machine. An
 * average that only jobs can correct would reject the jobs that correct it, so it decays to the usual time while no job
 * runs.
 */
export class JobTime {
  #usualMilliseconds: number;
  #recentMilliseconds: number;
  #idleSinceMilliseconds: number | undefined;
  readonly now: () => number;

  /**
   * @param warmUpMilliseconds time of a job without other load
   * @param now a clock in milliseconds
   */
  constructor(warmUpMilliseconds: number, now: () => number) {
    this.now = now;
    this.#usualMilliseconds = warmUpMilliseconds;
    this.#recentMilliseconds = warmUpMilliseconds;
  }

  get milliseconds(): number {
    if (this.#idleSinceMilliseconds === undefined) return this.#recentMilliseconds;
    const halvings = (this.now() - this.#idleSinceMilliseconds) / HALF_LIFE_MILLISECONDS;
    return this.#usualMilliseconds + (this.#recentMilliseconds - this.#usualMilliseconds) * 0.5 ** halvings;
  }

  /** The first job starts. */
  beginWork(): void {
    this.#recentMilliseconds = this.milliseconds;
    this.#idleSinceMilliseconds = undefined;
  }

  /** The last job has ended. */
  endWork(): void {
    this.#idleSinceMilliseconds = this.now();
  }

  /** Adds a finished job. */
  add(milliseconds: number): void {
    const counted = Math.min(milliseconds, MAX_TIMES_AVERAGE * this.#recentMilliseconds);
    this.#recentMilliseconds += NEWEST_WEIGHT * (counted - this.#recentMilliseconds);
    // The warm-up may have run on a busy machine, so faster jobs correct it.
    this.#usualMilliseconds = Math.min(this.#usualMilliseconds, this.#recentMilliseconds);
  }
}
