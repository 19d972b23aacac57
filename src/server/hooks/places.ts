/** A bound of calls at a time, with a short queue. */
export interface Places {
  /**
   * Waits for a place.
   * @returns gives the place back; null: none became free in time
   */
  take(): Promise<(() => void) | null>;
}

export function makePlaces(count: number, maxWaitMs: number): Places {
  let free = count;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  const once = (): (() => void) => {
    let isGiven = false;
    return () => {
      if (!isGiven) giveBack();
      isGiven = true;
    };
  };
  return {
    take() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve) => {
        const enter = (): void => {
          clearTimeout(timer);
          waiting.delete(enter);
          resolve(once());
        };
        const timer = setTimeout(() => {
          waiting.delete(enter);
          resolve(null);
        }, maxWaitMs);
        waiting.add(enter);
      });
    },
  };
}
