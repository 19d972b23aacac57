/** Runtime metrics of one thread (docs/decisions.md, Metrics). */
import { readdir } from 'node:fs/promises';
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface LoopDelay {
  /** In seconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Runtime {
  /** Over the last 10 to 20 seconds, so that two scrapers do not reset each other's values. */
  loopDelay(): LoopDelay;
  heap(): { readonly used: number; readonly limit: number };
  activeHandles(): number;
  residentBytes(): number;
  cpuSeconds(): number;
  /** Unix time. */
  readonly startSeconds: () => number;
  /** 0 on systems without /proc. */
  openFiles(): Promise<number>;
  close(): void;
}

/** Interval of the monitor's timer. It records the time between two ticks, which is this value in an idle loop. */
const RESOLUTION_MS = 10;
const WINDOW_MS = 10_000;
const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** @param onCollection called for each garbage collection with its kind: major, minor, incremental or weakcb */
export function watchRuntime(onCollection: (kind: string, seconds: number) => void): Runtime {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const excess = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000) || 0;
  const readDelay = (): LoopDelay => ({
    p50: excess(histogram.percentile(50)),
    p99: excess(histogram.percentile(99)),
    max: excess(histogram.max),
  });
  let last: LoopDelay = { p50: 0, p99: 0, max: 0 };
  const timer = setInterval(() => {
    last = readDelay();
    histogram.reset();
  }, WINDOW_MS).unref();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]) {
      onCollection(kinds.get(entry.detail?.kind ?? 0) ?? 'other', entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });

  return {
    loopDelay() {
      // A reset histogram has no values, and its max is 0.
      const now = readDelay();
      return { p50: Math.max(now.p50, last.p50), p99: Math.max(now.p99, last.p99), max: Math.max(now.max, last.max) };
    },
    heap() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return { used, limit };
    },
    activeHandles: () => process.getActiveResourcesInfo().length,
    residentBytes: () => process.memoryUsage.rss(),
    cpuSeconds() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    startSeconds: () => Date.now() / 1000 - process.uptime(),
    async openFiles() {
      try {
        return (await readdir('/proc/self/fd')).length;
      } catch {
        return 0;
      }
    },
    close() {
      clearInterval(timer);
      histogram.disable();
      observer.disconnect();
    },
  };
}
