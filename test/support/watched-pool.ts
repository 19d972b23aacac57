import type { CryptoPoolOptions } from '../../src/workers/wire.js';
import { openTestPool } from './crypto-pool.js';
import type { Test } from './tap.js';
import { watchThreads } from './watched-threads.js';

/** Opens a crypto pool with the threads that it starts. */
export async function openWatchedPool(t: Test, options?: Partial<CryptoPoolOptions>) {
  const watched = watchThreads(t);
  return { pool: await openTestPool(t, options), ...watched };
}
