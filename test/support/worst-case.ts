/** Measures work that must be fast for any input (SEC-32, SEC-35). */
import { existsSync, readFileSync } from 'node:fs';
import type { Test } from './tap.js';

/** Time of JSON.parse for an ordinary document of 1 MB on the machine that the limits are meant for. */
const YARDSTICK_MS = 9;
const PATIENCE_MS = 5000;
const MOST_TRIES_AT_FIRST = 15;

const document = JSON.stringify(
  Array.from({ length: 11_000 }, (_, id) => ({ id, email: `person-${id}@example.com`, tags: ['a', 'b'], n: id / 7 })),
);

function measureMs(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** @returns by how much this machine is slower now than the one meant, while it does other things, too; at least 1 */
export function measureSharedSlowness(): number {
  const parses = 8;
  const ms = measureMs(() => {
    for (let n = 0; n < parses; n++) JSON.parse(document);
  });
  return Math.max(1, ms / (parses * YARDSTICK_MS));
}

/**
 * Asserts that work, done once, takes less than so many milliseconds. A machine that is slower than the one meant is given
 * proportionally more: a reference task just before and after the work shows how slow it is now, since a shared machine is
 * slower by half for seconds. The best of some tries counts: the figure is about the code, not about other load. What is quick
 * enough for the machine meant is quick enough for any, so the reference is needed only beyond that.
 */
export function assertQuick(t: Test, what: string, limitMs: number, work: () => void): void {
  const measureSlowness = (): number => Math.max(1, measureMs(() => JSON.parse(document)) / YARDSTICK_MS);
  let [ms, limit] = [measureMs(work), limitMs];
  const endAt = performance.now() + PATIENCE_MS;
  let before = ms < limitMs ? 1 : measureSlowness();
  for (let i = 1; ms >= limit && (i < MOST_TRIES_AT_FIRST || performance.now() < endAt); i++) {
    const workMs = measureMs(work);
    const after = measureSlowness();
    const limitNow = limitMs * Math.min(before, after);
    if (workMs / limitNow < ms / limit) [ms, limit] = [workMs, limitNow];
    before = after;
  }
  t.ok(ms < limit, `${what}: ${ms.toFixed(2)} of ${limit.toFixed(1)} ms`);
}

/** Milliseconds of CPU time since something before. */
type CpuClock = () => number;

/** Of this process, with all of its threads. */
const ofProcess: CpuClock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of the first thread of this process, on which a test server answers; where there is no /proc, of all of them. */
export const ofServerThread: CpuClock = () => {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  if (!existsSync(file)) return ofProcess();
  // Nanoseconds on a processor come first (https://docs.kernel.org/scheduler/sched-stats.html).
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
};

async function measureCpuMs(work: () => unknown, clock = ofProcess): Promise<number> {
  const before = clock();
  await work();
  return clock() - before;
}

/** @returns the CPU time of the cheapest of some tries, to be subtracted from that of a more expensive request */
export async function measureUsualMs(send: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) least = Math.min(least, await measureCpuMs(send));
  return least;
}

/**
 * Asserts that a request costs this process less than some milliseconds of CPU time beyond the usual, on the
 * machine that the limits are meant for; see assertQuick. Its client must be another process.
 */
export async function assertCheap(
  t: Test,
  what: string,
  limitMs: number,
  usualMs: number,
  send: () => Promise<unknown>,
  clock = ofProcess,
): Promise<void> {
  const measureSlowness = async (): Promise<number> =>
    Math.max(1, (await measureCpuMs(() => JSON.parse(document), clock)) / YARDSTICK_MS);
  let [ms, limit] = [Number.POSITIVE_INFINITY, limitMs];
  const endAt = performance.now() + PATIENCE_MS;
  for (let i = 0; ms >= limit && (i <= MOST_TRIES_AT_FIRST || performance.now() < endAt); i++) {
    // What is cheap enough for the machine meant needs no reference, which takes longer than most requests.
    const slowness = i === 0 ? 1 : await measureSlowness();
    const cost = (await measureCpuMs(send, clock)) - usualMs;
    const limitNow = limitMs * slowness;
    if (cost / limitNow < ms / limit) [ms, limit] = [cost, limitNow];
  }
  if (ms >= limit) t.fail(`${what}: ${ms.toFixed(2)} of ${limit.toFixed(1)} ms`);
}
