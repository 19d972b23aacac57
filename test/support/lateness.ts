/** How late event loops are: that of this thread, that of a server, and one that has nothing to do. */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Test } from './tap.js';
import { until } from './until.js';
import { wholeLines } from './whole-lines.js';

/** In seconds, since the reading before. */
export interface Lateness {
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 10;
const IDLE = 'idle loop';

/** For `--import` of a server; the file goes into LATCHKEY_TEST_LOOP_FILE of its environment. */
export const LOOP_METER_MODULE = new URL('./faults/loop-on-signal.js', import.meta.url).href;

/** Watches the loop of the calling thread. @returns what reads it */
export function watchLateness(): () => Lateness {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const excess = (nanoseconds: number): number => Math.max(0, (nanoseconds / 1e6 - RESOLUTION_MS) / 1000);
  return () => {
    const lateness = { p99: excess(histogram.percentile(99)), max: excess(histogram.max) };
    histogram.reset();
    return lateness;
  };
}

/** @param file that LOOP_METER_MODULE of the server appends to */
export async function readLateness(pid: number, file: string): Promise<Lateness> {
  const before = wholeLines(file).length;
  process.kill(pid, 'SIGUSR2');
  await until(() => wholeLines(file).length > before);
  return JSON.parse(wholeLines(file).at(-1)!) as Lateness;
}

/** Watches the loop of a thread with nothing to do, which only the machine makes late. @returns what reads it */
export function watchIdleLoop(t: Test): () => Promise<Lateness> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: IDLE });
  t.teardown(() => worker.terminate());
  return async () => {
    worker.postMessage('read');
    return ((await once(worker, 'message')) as [Lateness])[0];
  };
}

if (workerData === IDLE) {
  const read = watchLateness();
  parentPort!.on('message', () => parentPort!.postMessage(read()));
}
