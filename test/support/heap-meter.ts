/** Heap size of a server after garbage collection, which faults/collect-on-signal.ts runs in it. */
import { setTimeout as pause } from 'node:timers/promises';
import { wholeLines } from './whole-lines.js';

const TIMES = 5;
const PATIENCE_SECONDS = 60;

/** For `--import`, or NODE_OPTIONS, of the server; the file goes into LATCHKEY_TEST_HEAP_FILE of its environment. */
export const HEAP_METER_MODULE = new URL('./faults/collect-on-signal.js', import.meta.url).href;

/**
 * @param pid of the server
 * @param file that it appends to
 * @returns bytes: the least of some collections, since requests in flight are on the heap, too
 * @throws when the server does not collect within a minute
 */
export async function measureHeap(pid: number, file: string): Promise<number> {
  const read = (): number[] => wholeLines(file).map(Number);
  const before = read().length;
  const endMs = performance.now() + PATIENCE_SECONDS * 1000;
  for (let times = 1; times <= TIMES; times++) {
    process.kill(pid, 'SIGUSR2');
    while (read().length < before + times) {
      if (performance.now() > endMs) throw new Error(`Process ${pid} collects no garbage when it is told to`);
      await pause(20);
    }
    await pause(100);
  }
  return Math.min(...read().slice(before));
}
