/** Argon2 without a server: threads that verify passwords one after another, with the engine the server would take. */
import { setPriority } from 'node:os';
import { isMainThread, parentPort, Worker as Thread, workerData } from 'node:worker_threads';
import { loadArgon2Engine } from '../../src/workers/tasks/argon2-engine.js';
import { makePasswordTasks } from '../../src/workers/tasks/password.js';
import type { Argon2Parameters } from '../../src/workers/wire.js';
import { serveJobs } from './processes.js';
import { percentile } from './statistics.js';
import { PASSWORD } from './traffic.js';

export interface RawHashJob {
  readonly threads: number;
  readonly argon2: Argon2Parameters;
  readonly seconds: number;
}

export interface RawHashResult {
  readonly engine: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface ThreadResult {
  readonly engine: string;
  readonly seconds: number;
  readonly latenciesMs: number[];
}

/** The same as the server's hash threads: what else runs on the machine then takes as much from both. */
const NICENESS = 10;

async function verifyForAWhile(job: RawHashJob): Promise<ThreadResult> {
  if (process.platform === 'linux') setPriority(0, NICENESS);
  const engine = await loadArgon2Engine(undefined);
  const tasks = makePasswordTasks(engine, job.argon2);
  const stored = await tasks.hash(PASSWORD);
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + job.seconds * 1000;
  for (let nowMs = startMs; nowMs < endMs; ) {
    const { matches } = await tasks.verify(PASSWORD, stored);
    if (!matches) throw new Error(`${engine.name} does not recognise its own hash`);
    const doneMs = performance.now();
    latenciesMs.push(doneMs - nowMs);
    nowMs = doneMs;
  }
  return { engine: engine.name, seconds: (performance.now() - startMs) / 1000, latenciesMs };
}

async function measure(job: RawHashJob): Promise<RawHashResult> {
  const results = await Promise.all(
    Array.from({ length: job.threads }, () => {
      const thread = new Thread(new URL(import.meta.url), { workerData: job });
      return new Promise<ThreadResult>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('error', reject);
      });
    }),
  );
  const sorted = Float64Array.from(results.flatMap(({ latenciesMs }) => latenciesMs)).sort();
  return {
    engine: results[0]?.engine ?? 'none',
    requestsPerSecond: results.reduce((sum, { latenciesMs, seconds }) => sum + latenciesMs.length / seconds, 0),
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
  };
}

if (isMainThread) serveJobs(measure);
else parentPort?.postMessage(await verifyForAWhile(workerData as RawHashJob));
