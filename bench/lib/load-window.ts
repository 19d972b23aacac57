/** The jobs of the load generators, and what they count. */
import { createHistogram } from 'node:perf_hooks';
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
}

export type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** Counts what happens between the warm-up and the end. */
export class LoadWindow {
  readonly #statuses: Record<string, number> = {};
  readonly #latencies = createHistogram();
  readonly #job: Load;
  #before: Usage | undefined;
  #after: Usage | undefined;

  constructor(job: ClosedLoop | OpenLoop) {
    this.#job = job;
    if ('mostRequests' in job) this.#before = readUsage(job);
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

  close(): LoadResult {
    this.#end();
    const [before, after, { count }] = [this.#before!, this.#after!, this.#latencies];
    const seconds = (after.atMs - before.atMs) / 1000;
    const cpuMicroseconds: Mutable<LoadResult['cpuMicroseconds']> = {};
    for (const part of ['server', 'database', 'generator'] as const) {
      const [start, end] = [before[part], after[part]];
      if (start !== undefined && end !== undefined && count > 0) cpuMicroseconds[part] = ((end - start) * 1e6) / count;
    }
    return {
      requestsPerSecond: count / seconds,
      p50Ms: this.#latencies.percentile(50) / 1e6,
      p99Ms: this.#latencies.percentile(99) / 1e6,
      statuses: this.#statuses,
      cpuMicroseconds,
    };
  }

  #end(): void {
    this.#after ??= readUsage(this.#job);
  }
}

interface Usage {
  readonly atMs: number;
  readonly server: number | undefined;
  readonly database: number | undefined;
  readonly generator: number;
}

/** Processor seconds. Those of the generator are of this process, in which nothing else works during a window. */
function readUsage({ pids }: Load): Usage {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    server: pids && readCpuSeconds(pids.server),
    database: pids && readCpuSeconds(pids.database, true),
    generator: (user + system) / 1e6,
  };
}

export const isGood = (status: number | 'error'): boolean => status !== 'error' && status >= 200 && status <= 299;
