import { setTimeout as pause } from 'node:timers/promises';

/** Between two looks, in milliseconds: what comes at once is seen at once, and what takes seconds is not asked for all the time. */
const SOONEST = 10;
const LATEST = 100;
/** So much later than it is true a condition is seen, at most. */
const SHARE = 0.1;

/** Waits before the next look. @param startMs when the first one was, by performance.now() */
export const pauseSince = (startMs: number): Promise<void> =>
  pause(Math.min(LATEST, Math.max(SOONEST, SHARE * (performance.now() - startMs))));

/** Waits until a condition is true, at most until the test times out. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  while (!(await condition())) await pauseSince(startMs);
}
