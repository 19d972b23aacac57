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
  /** Answers count in two windows that are open in turns, as {@link sideAt} says: the window that counts, and `other`. */
  readonly sliceMs?: number;
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
  /** Of the second window, where there are two. */
  readonly other?: LoadResult;
}

export interface OpenLoopResult extends LoadResult {
  readonly offeredPerSecond: number;
  /** Requests sent or waiting for a connection, and not answered yet. */
  readonly mostInFlight: number;
  /** Every refresh token of a 2xx answer, warm-up included. */
  readonly acknowledged: readonly string[];
}

export type Mutable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/**
 * @param sliceMs length of a slice
 * @returns which of two windows is open now. Threads agree, since it depends on the time of day alone; the order is 0, 1,
 * 1, 0, so that a machine that becomes slower or faster does so for both.
 */
export const sideAt = (sliceMs: number, nowMs = Date.now()): 0 | 1 =>
  [0, 3].includes(Math.floor(nowMs / sliceMs) % 4) ? 0 : 1;

/** Counts what happens while it is open. */
class LoadWindow {
  readonly #statuses: Record<string, number> = {};
  readonly #latencies = createHistogram();
  readonly #job: Load;
  readonly #spent = { ms: 0, server: 0, database: 0, generator: 0 };
  #since: Usage | undefined;

  /** @param job whose processes are asked for their processor time */
  constructor(job: Load) {
    this.#job = job;
  }

  get isOpen(): boolean {
    return this.#since !== undefined;
  }

  open(): void {
    this.#since ??= readUsage(this.#job);
  }

  /** Until it is opened again. */
  close(): void {
    if (this.#since === undefined) return;
    const now = readUsage(this.#job);
    // NaN where the processor time of a process cannot be read.
    for (const part of ['ms', ...processes] as const)
      this.#spent[part] += (now[part] ?? NaN) - (this.#since[part] ?? NaN);
    this.#since = undefined;
  }

  add(status: number | 'error', milliseconds: number): void {
    if (!this.isOpen) return;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (isGood(status)) this.#latencies.record(Math.max(1, Math.round(milliseconds * 1e6)));
  }

  result(): LoadResult {
    this.close();
    const { count } = this.#latencies;
    const cpuMicroseconds: Mutable<LoadResult['cpuMicroseconds']> = {};
    for (const part of processes) {
      const seconds = this.#spent[part];
      if (!Number.isNaN(seconds) && count > 0) cpuMicroseconds[part] = (seconds * 1e6) / count;
    }
    return {
      requestsPerSecond: (count * 1000) / this.#spent.ms,
      p50Ms: this.#latencies.percentile(50) / 1e6,
      p99Ms: this.#latencies.percentile(99) / 1e6,
      statuses: this.#statuses,
      cpuMicroseconds,
    };
  }
}

/** The windows of one loop, which open and close by themselves. */
export class LoadWindows {
  readonly #all: readonly LoadWindow[];
  #isOver = false;

  constructor(job: ClosedLoop | OpenLoop) {
    const sliceMs = 'sliceMs' in job ? job.sliceMs : undefined;
    this.#all = Array.from({ length: sliceMs === undefined ? 1 : 2 }, () => new LoadWindow(job));
    if ('mostRequests' in job && job.mostRequests !== undefined) this.#all[0]!.open();
    else setTimeout(() => this.#run(job.seconds * 1000, sliceMs), job.warmUpSeconds * 1000);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isOpen(): boolean {
    return this.#all.some(({ isOpen }) => isOpen);
  }

  add(status: number | 'error', milliseconds: number): void {
    for (const window of this.#all) window.add(status, milliseconds);
  }

  /** Closes them. */
  results(): readonly LoadResult[] {
    this.#end();
    return this.#all.map((window) => window.result());
  }

  #run(lengthMs: number, sliceMs: number | undefined): void {
    setTimeout(() => this.#end(), lengthMs);
    if (sliceMs === undefined) this.#all[0]!.open();
    else this.#nextSlice(sliceMs);
  }

  #nextSlice(sliceMs: number): void {
    if (this.#isOver) return;
    const side = sideAt(sliceMs);
    // A slice of the same side may follow.
    if (!this.#all[side]!.isOpen) {
      this.#all[1 - side]!.close();
      this.#all[side]!.open();
    }
    setTimeout(() => this.#nextSlice(sliceMs), sliceMs - (Date.now() % sliceMs));
  }

  #end(): void {
    this.#isOver = true;
    for (const window of this.#all) window.close();
  }
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
