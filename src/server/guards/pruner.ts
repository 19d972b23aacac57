const EVERY_MS = 600_000;
const BATCH = 5000;
/** Ten years, which Postgres can subtract from now() without an error. */
const LONGEST_SECONDS = 315_360_000;

export interface Pruner {
  /** Called with every count; prunes every ten minutes, in the background. */
  tick(): void;
  /** Counters are kept at least this long. */
  retainFor(seconds: number): void;
}

/**
 * Prunes the table of counters without a timer of its own.
 * @param remove deletes at most `most` counters unchanged for some seconds, and returns their number
 * @param onFailure called with the error; the next try is in ten minutes
 */
export function makePruner(
  remove: (olderThanSeconds: number, most: number) => Promise<number>,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Pruner {
  let keepSeconds = 0;
  // The first time is soon after the start, at a random moment.
  let nextMs = now() + Math.random() * EVERY_MS;

  async function run(): Promise<void> {
    try {
      while ((await remove(Math.min(keepSeconds, LONGEST_SECONDS), BATCH)) === BATCH);
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    tick() {
      if (now() < nextMs) return;
      nextMs = now() + EVERY_MS;
      void run();
    },
    retainFor(seconds) {
      keepSeconds = Math.max(keepSeconds, seconds);
    },
  };
}
