/** The jobs of the load generators, and what they count. */
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { readCpuSeconds } from './process-usage.js';
import type { Account, Traffic } from './requests.js';

interface Load {
  readonly url: string;
  readonly traffic: Traffic;
  readonly accounts: readonly Account[];
  readonly warmUpSeconds: number;
  /** Length of the window that counts. */
  readonly seconds: number;
  /** Processes whose processor time is read at both ends of the window. */
  readonly pids?: { readonly server: number; readonly database: number };
}

/** Each connection waits for its answer. */
export interface ClosedLoop extends Load {
  /** Requests take the accounts in turn. Absent: one connection for each account, which it keeps. */
  readonly connections?: number;
  /** The loop ends after so many requests, at least one for each connection; all of them count. */
  readonly mostRequests?: number;
}

/** So many requests are sent each second, evenly spread, whether or not earlier ones have been answered. */
export interface OpenLoop extends Load {
  readonly requestsPerSecond: number;
}

export interface LoadResult {
  /** Answered 2xx in the window. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers in the window, by status; requests without one are under `error`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Processor time for one 2xx answer. */
  readonly cpuMicroseconds: Readonly<Partial<Record<'server' | 'database' | 'generator', number>>>;
  /** Of the 2xx answers, in nanoseconds. */
  readonly latencies: RecordableHistogram;
}

export interface ClosedLoopResult extends LoadResult {
  /** The accounts with the refresh tokens that are current now. */
  readonly accounts: readonly Account[];
}

export interface OpenLoopResult extends LoadResult {
  readonly offeredPerSecond: number;
  /** Requests sent or waiting for a connection, and not answered yet. */
  readonly mostInFlight: number;
  /** Every refresh token of a 2xx answer, warm-up included. */
  readonly acknowledged: readonly string[];
  /** The accounts; of refreshes with the tokens that are current now. */
  readonly accounts: readonly Account[];
}

export type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** Counts what happens while it is open: from the end of the warm-up, or of the first request where requests are counted. */
export class LoadWindow {
  readonly #statuses: Record<string, number> = {};
  readonly #latencies = createHistogram();
  readonly #job: Load;
  #before: Usage | undefined;
  #after: Usage | undefined;

  constructor(job: ClosedLoop | OpenLoop) {
    this.#job = job;
    if ('mostRequests' in job && job.mostRequests !== undefined) this.#before = readUsage(job);
    else {
      setTimeout(() => {
        this.#before = readUsage(job);
        setTimeout(() => this.#end(), job.seconds * 1000);
      }, job.warmUpSeconds * 1000);
    }
  }

  get isOver(): boolean {
    return this.#after !== undefined;
  }

  get isOpen(): boolean {
    return this.#before !== undefined && this.#after === undefined;
  }

  add(status: number | 'error', milliseconds: number): void {
    if (!this.isOpen) return;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (isGood(status)) this.#latencies.record(Math.max(1, Math.round(milliseconds * 1e6)));
  }

  /** Closes it. */
  result(): LoadResult {
    this.#end();
    const [before, after, { count }] = [this.#before!, this.#after!, this.#latencies];
    const cpuMicroseconds: Mutable<LoadResult['cpuMicroseconds']> = {};
    for (const part of processes) {
      const [start, end] = [before[part], after[part]];
      if (start !== undefined && end !== undefined && count > 0) cpuMicroseconds[part] = ((end - start) * 1e6) / count;
    }
    return describe(this.#latencies, after.ms - before.ms, this.#statuses, cpuMicroseconds);
  }

  #end(): void {
    this.#after ??= readUsage(this.#job);
  }
}

const describe = (
  latencies: RecordableHistogram,
  ms: number,
  statuses: LoadResult['statuses'],
  cpuMicroseconds: LoadResult['cpuMicroseconds'],
): LoadResult => ({
  requestsPerSecond: (latencies.count * 1000) / ms,
  p50Ms: latencies.percentile(50) / 1e6,
  p99Ms: latencies.percentile(99) / 1e6,
  ...{ statuses, cpuMicroseconds, latencies },
});

/** Several windows as one. */
export function sumResults(results: readonly LoadResult[]): LoadResult {
  const latencies = createHistogram();
  const statuses: Record<string, number> = {};
  const cpuMicroseconds: Mutable<LoadResult['cpuMicroseconds']> = {};
  let ms = 0;
  for (const { requestsPerSecond, ...result } of results) {
    latencies.add(result.latencies);
    ms += (result.latencies.count * 1000) / requestsPerSecond;
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  for (const part of processes) {
    const spent = results.map(({ latencies: { count }, cpuMicroseconds: { [part]: each = NaN } }) => each * count);
    const each = spent.reduce((sum, one) => sum + one, 0) / latencies.count;
    // NaN where the processor time of a process cannot be read.
    if (!Number.isNaN(each)) cpuMicroseconds[part] = each;
  }
  return describe(latencies, ms, statuses, cpuMicroseconds);
}

const processes = ['server', 'database', 'generator'] as const;

interface Usage {
  readonly ms: number;
  readonly server: number | undefined;
  readonly database: number | undefined;
  readonly generator: number;
}

/** Processor seconds. Those of the generator are of this process, with whatever else it does meanwhile. */
function readUsage({ pids }: Load): Usage {
  const { user, system } = process.cpuUsage();
  return {
    ms: performance.now(),
    server: pids && readCpuSeconds(pids.server),
    database: pids && readCpuSeconds(pids.database, true),
    generator: (user + system) / 1e6,
  };
}

export const isGood = (status: number | 'error'): boolean => status !== 'error' && status >= 200 && status <= 299;
