/** A steady mixed load in jobs of a minute, and what the server holds meanwhile. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { measureHeap } from '../../test/support/heap-meter.js';
import { type MetricsPage, openMetricsPage } from '../../test/support/metrics-page.js';
import { makeAccounts, signInAgain, useSessions } from './accounts.js';
import { type BenchDatabase, populate } from './database.js';
import type { PacedJob, PacedResult } from './paced-process.js';
import { Worker } from './processes.js';
import type { Say } from './run-bench.js';
import { startServerUnderTest } from './servers.js';

/** Requests a second: about a tenth of what two cores can do, hashing included. */
export const RATES = { refresh: 150, user: 100, password: 3, signup: 1 } as const;
export type SoakKind = keyof typeof RATES;
export const soakKinds = Object.keys(RATES) as SoakKind[];

const ACCOUNTS = 64;
/**
 * What the server remembers of sessions and access tokens (8192 and 4096 of them) is bounded, and all day it is full. The
 * load opens 64 sessions a minute, so that without this the heap rose through the whole half hour, by 6 MB.
 */
const SESSIONS_AT_FIRST = 8192;
/** Jobs of the warm-up that are left after the first collections, which make the process 20 MB smaller for a minute. */
const SETTLING_JOBS = 2;
const PATIENCE_SECONDS = 60;
/** Until the server has seen the connections close. */
const REST_SECONDS = 1;
const READ_EVERY_SECONDS = 1;

export interface SoakOptions {
  readonly root: string;
  /** How many jobs of load are measured, one after the other. */
  readonly jobs: number;
  readonly warmUpJobs: number;
  /** 60, but for a quick run. The generator keeps every latency until a job ends, so nothing grows for longer. */
  readonly jobSeconds: number;
  readonly sampleSeconds: number;
  /** False for a quick run: the server starts with nothing remembered. */
  readonly fills: boolean;
}

/** What the metrics page of the server says. */
interface Reading {
  readonly residentBytes: number;
  /** With the garbage since the last collection. */
  readonly heapBytes: number;
  /** Like the descriptors without those of the database connections, whose number follows the load. */
  readonly handles: number;
  readonly descriptors: number;
}

export interface SoakSample extends Reading {
  /** Since the warm-up. */
  readonly minute: number;
  /** The least of the readings since the sample before, one a second. */
  readonly heapBytes: number;
}

/** One job of each kind of request, at the same time. */
export interface SoakMinute {
  readonly samples: readonly SoakSample[];
  /** After it, when the connections of the load are gone: how many there are follows the slowest moment of the minute. */
  readonly atRest: SoakSample;
  readonly p99Ms: Readonly<Record<SoakKind, number>>;
  readonly answers: number;
  /** Answers other than 2xx, and requests that got none. */
  readonly faults: number;
}

export interface Soak {
  readonly minutes: readonly SoakMinute[];
  /** Bytes without garbage and compiled code, two minutes before the first minute and after the last. */
  readonly collectedHeap: { readonly start: number; readonly end: number };
}

/** @throws when a kind of request got no good answer in a whole job, or a process failed */
export async function measureSoak(database: BenchDatabase, wanted: SoakOptions, say: Say): Promise<Soak> {
  const databaseUrl = await database.create('soak');
  const page = await openMetricsPage();
  const heapFile = join(database.directory, 'heap');
  const server = await startServerUnderTest({
    root: wanted.root,
    databaseUrl,
    cwd: database.directory,
    logLevel: 'info',
    settings: page.settings,
    heapFile,
  });
  await populate(databaseUrl);
  const accounts = await makeAccounts(server.url, ACCOUNTS);
  const workers = soakKinds.map((traffic) => ({
    traffic,
    worker: new Worker<PacedJob, PacedResult>(new URL('./paced-process.js', import.meta.url)),
  }));
  const failed = new AbortController();

  async function runJob(startMs: number): Promise<SoakMinute> {
    // A token whose answer came after the end of a job would end its session, and access tokens last an hour.
    const job = { url: server.url, accounts: await signInAgain(server.url, accounts), warmUpSeconds: 0 };
    const { jobSeconds: seconds, sampleSeconds } = wanted;
    const [samples, ...results] = await Promise.all([
      sampleFor(page, seconds, sampleSeconds, startMs, failed.signal),
      ...workers.map(async ({ traffic, worker }) => {
        const order = { ...job, traffic, requestsPerSecond: RATES[traffic], seconds };
        const result = await worker.run(order, seconds + PATIENCE_SECONDS);
        if (result.goodPerSecond === 0) throw new Error(`${traffic}: no good answer in ${seconds} s`);
        const bad = Object.entries(result.statuses).filter(([status]) => !status.startsWith('2'));
        for (const [status, times] of bad) say(`${traffic}: answered ${times} × ${status}`);
        return { traffic, result, faults: bad.reduce((sum, [, times]) => sum + times, 0) };
      }),
    ]);
    await pause(REST_SECONDS * 1000);
    const atRest = { minute: minutesSince(startMs), ...(await readPage(page)) };
    const p99Ms = Object.fromEntries(results.map(({ traffic, result }) => [traffic, result.p99Ms]));
    return {
      samples,
      atRest,
      p99Ms: p99Ms as Record<SoakKind, number>,
      answers: results.flatMap(({ result }) => Object.values(result.statuses)).reduce((sum, n) => sum + n, 0),
      faults: results.reduce((sum, { faults }) => sum + faults, 0),
    };
  }

  try {
    for (let opened = 0; wanted.fills && opened < SESSIONS_AT_FIRST; opened += ACCOUNTS) {
      if (opened % (16 * ACCOUNTS) === 0) say(`sessions to remember: ${opened} of ${SESSIONS_AT_FIRST}`);
      await useSessions(server.url, await signInAgain(server.url, accounts));
    }
    let start = 0;
    for (let at = 1; at <= wanted.warmUpJobs; at += 1) {
      if (at === Math.max(1, wanted.warmUpJobs - SETTLING_JOBS + 1)) start = await measureHeap(server.pid, heapFile);
      say(`warm-up ${at}/${wanted.warmUpJobs}  ${describeMinute(await runJob(performance.now()))}`);
    }
    const startMs = performance.now();
    const minutes: SoakMinute[] = [];
    while (minutes.length < wanted.jobs) {
      const minute = await runJob(startMs);
      minutes.push(minute);
      say(`${minutes.length}/${wanted.jobs}  ${describeMinute(minute)}`);
    }
    const collectedHeap = { start, end: await measureHeap(server.pid, heapFile) };
    return { minutes, collectedHeap };
  } finally {
    failed.abort();
    await server.stop();
    for (const { worker } of workers) worker.end();
  }
}

async function sampleFor(
  page: MetricsPage,
  seconds: number,
  everySeconds: number,
  startMs: number,
  signal: AbortSignal,
): Promise<SoakSample[]> {
  const beginMs = performance.now();
  const samples: SoakSample[] = [];
  let heapBytes = Infinity;
  // Between the seconds, so that none is read at the end of the job.
  for (let read = 1; read * READ_EVERY_SECONDS <= seconds; read += 1) {
    const dueMs = beginMs + (read - 0.5) * READ_EVERY_SECONDS * 1000;
    await pause(Math.max(0, dueMs - performance.now()), undefined, { signal });
    const reading = await readPage(page);
    heapBytes = Math.min(heapBytes, reading.heapBytes);
    if ((read * READ_EVERY_SECONDS) % everySeconds !== 0) continue;
    samples.push({ minute: minutesSince(startMs), ...reading, heapBytes });
    heapBytes = Infinity;
  }
  return samples;
}

const minutesSince = (startMs: number): number => (performance.now() - startMs) / 60_000;

async function readPage(page: MetricsPage): Promise<Reading> {
  const values = await page.read().catch((error: Error) => {
    throw new Error(`The server does not say how it is: ${error.message}`);
  });
  const read = (name: string): number => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`The metrics page has no ${name}`);
    return value;
  };
  const databaseConnections = read('latchkey_db_connections_open');
  return {
    residentBytes: read('process_resident_memory_bytes'),
    heapBytes: read('latchkey_heap_used_bytes'),
    handles: read('latchkey_active_handles') - databaseConnections,
    descriptors: read('process_open_fds') - databaseConnections,
  };
}

function describeMinute({ samples, atRest, answers, faults, p99Ms }: SoakMinute): string {
  const { residentBytes, heapBytes } = samples.at(-1)!;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const p99s = soakKinds.map((kind) => `${kind} ${p99Ms[kind].toFixed(1)}`).join(', ');
  return (
    `${answers} answers, ${faults} not 2xx; resident ${megabytes(residentBytes)}, heap ${megabytes(heapBytes)}, ` +
    `${atRest.handles} handles, ${atRest.descriptors} descriptors; p99 ms: ${p99s}`
  );
}
