/**
 * A limit on the time of work, without luck: other load only makes work slower, so the quickest of some tries is the code's own. Where
 * none is quick enough, a reference task just before and after says how slow the machine is now.
 */
import { measureSharedSlowness } from './worst-case.js';

const MOST_TRIES = 5;

export interface Quickest<Result> {
  /** Of the quickest try, as on the machine that the limit is meant for. */
  readonly ms: number;
  readonly result: Result;
  readonly tries: number;
}

/**
 * Runs work until it is quicker than a limit, some times at most. Work that waits too long by its own doing is never quick.
 * @returns the quickest try, whose time the test compares with the limit
 */
export async function findQuickest<Result>(limitMs: number, work: () => Promise<Result>): Promise<Quickest<Result>> {
  let best: Quickest<Result> | undefined;
  let before = 1;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const startMs = performance.now();
    const result = await work();
    const tookMs = performance.now() - startMs;
    const after = tookMs < limitMs ? 1 : measureSharedSlowness();
    // The first try has no reference before it.
    const ms = tookMs / Math.min(before, after);
    before = after;
    best = { ...(best !== undefined && best.ms <= ms ? best : { ms, result }), tries };
    if (best.ms < limitMs) break;
  }
  return best!;
}
