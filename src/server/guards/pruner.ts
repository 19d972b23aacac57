const EVERY_MS = 600_000;
const BATCH = 5000;
/** Ten years: what Postgres can subtract from now() without an error. */
const LONGEST_SECONDS = 315_360_000;

export interface Pruner {
  /** Called with every count; does something every ten minutes, in the background. */
  tick(): void;
  /** Counters must stay at least so long. */
  keepFor(seconds: number): void;
}

/**
 * Keeps the table of counters small without a timer of its own.
 * @param remove deletes at most `most` counters untouched for so many seconds, says how many
 * @param onFailure told why it did not work; it is tried again in ten minutes
 */
export function makePruner(
  remove: (olderThanSeconds: number, most: number) => Promise<number>,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Pruner {
  let keepSeconds = 0;
  // The first time comes early after a start, at another moment in each process.
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
    keepFor(seconds) {
      keepSeconds = Math.max(keepSeconds, seconds);
    },
  };
}
