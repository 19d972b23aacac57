/** Looks that are repeated, one at a time. */
export interface RepeatedLook {
  /** Looks at once; while a look runs, as soon as it has ended. */
  now(): void;
  close(): void;
}

/**
 * @param look must not throw
 * @param nextMs how long after a look the next one is due; asked after each
 */
export function lookAgain(look: () => Promise<void>, nextMs: () => number, firstMs: number): RepeatedLook {
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isWanted = false;
  let isClosed = false;

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(now, ms * (1 + Math.random() / 10)).unref();
  }

  function now(): void {
    if (isClosed || isLooking) {
      isWanted = true;
      return;
    }
    isLooking = true;
    isWanted = false;
    void look().finally(() => {
      isLooking = false;
      schedule(isWanted ? 0 : nextMs());
    });
  }

  schedule(firstMs);
  return {
    now,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
