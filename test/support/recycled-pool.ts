/**
 * Crypto threads that one server of a test process leaves to the next: starting them takes a third of the processor time of
 * opening a server. At no time do two servers use the same threads.
 */
import { firstSigningKey } from '../../src/workers/crypto-threads.js';
import { openCryptoPool } from '../../src/workers/pool.js';
import type { CryptoPool, CryptoPoolOptions } from '../../src/workers/wire.js';
import { until } from './until.js';

/** More servers than that are rarely open at a time. */
const MOST_IDLE = 4;

interface IdlePool {
  /** What it was opened with, as JSON. */
  readonly key: string;
  readonly pool: CryptoPool;
}

/** The last one was used last. */
const idle: IdlePool[] = [];
let isEndKnown = false;

/** Opens a pool as `openCryptoPool` does, or takes one of the same options that a server has closed. */
export async function openRecycledPool(options: CryptoPoolOptions): Promise<CryptoPool> {
  if (!isEndKnown) {
    isEndKnown = true;
    // Programs that import this module for something else do not want tap.
    const { atProcessEnd } = await import('./tap.js');
    atProcessEnd(() => Promise.all(idle.splice(0).map(({ pool }) => pool.close())));
  }
  const key = JSON.stringify(options);
  const index = idle.findLastIndex((one) => one.key === key);
  const pool = index < 0 ? await openCryptoPool(options) : idle.splice(index, 1)[0]!.pool;
  // As after its start, whatever key the server before has named.
  if (index >= 0) await pool.useSigningKey(firstSigningKey(options));
  let closed: Promise<void> | undefined;
  return {
    ...pool,
    close() {
      closed ??= recycle({ key, pool });
      return closed;
    },
  };
}

/** Waits for its jobs, as closing does. A pool that has lost threads or refused jobs would show that to the next server. */
async function recycle(one: IdlePool): Promise<void> {
  const { stats, close, hurrySigning } = one.pool;
  hurrySigning();
  await until(() => {
    const { hashesRunning, hashesQueued, signaturesQueued } = stats();
    return hashesRunning + hashesQueued + signaturesQueued === 0;
  });
  const { threadsLost, hashesRejected } = stats();
  if (threadsLost > 0 || hashesRejected > 0) return close();
  idle.push(one);
  if (idle.length > MOST_IDLE) await idle.shift()!.pool.close();
}
