import type { Worker } from 'node:worker_threads';
import { openTestPool } from './crypto-pool.js';

/** Collects the threads started while a pool opens, which Node reports in the order of creation. */
export async function openWatchedPool(...[t, options]: Parameters<typeof openTestPool>) {
  const threads: Worker[] = [];
  const collect = (thread: Worker) => threads.push(thread);
  process.on('worker', collect);
  t.teardown(async () => void process.off('worker', collect));
  return { pool: await openTestPool(t, options), threads };
}
