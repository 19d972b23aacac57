/** How long work takes that must be quick whatever its input is (SEC-32, SEC-35). */
import type { Test } from 'tap';

/** What the engine's own parser needs for an ordinary document of 1 MB on the machine the limits are meant for. */
const YARDSTICK_MS = 9;
const PATIENCE_MS = 5000;
let slowness: number | undefined;

/** The best of some: the figure is about the code, not about what else the machine does. */
function best(work: () => void, enoughMs: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  const endAt = performance.now() + PATIENCE_MS;
  for (let i = 0; i < 15 || (shortest >= enoughMs && performance.now() < endAt); i++) {
    const startedAt = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}

/** A machine that is slower than the one meant is given so much more. @returns 1 or more */
function measureSlowness(t: Test): number {
  const people = Array.from({ length: 11_000 }, (_, id) => ({
    id,
    email: `person-${id}@example.com`,
    tags: ['a', 'b'],
    n: id / 7,
  }));
  const yardstick = JSON.stringify(people);
  const factor = Math.max(1, best(() => JSON.parse(yardstick), YARDSTICK_MS) / YARDSTICK_MS);
  t.comment(`limits are multiplied by ${factor.toFixed(2)} on this machine`);
  return factor;
}

/** Asserts that work, done once, takes less than so many milliseconds. */
export function assertQuick(t: Test, what: string, limitMs: number, work: () => void): void {
  slowness ??= measureSlowness(t);
  const limit = limitMs * slowness;
  const ms = best(work, limit);
  t.ok(ms < limit, `${what}: ${ms.toFixed(2)} of ${limit.toFixed(1)} ms`);
}
