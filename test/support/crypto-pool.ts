import { openCryptoPool } from '../../src/workers/pool.js';
import type { CryptoPool, CryptoPoolOptions } from '../../src/workers/wire.js';

/** 32 KiB and one pass: some 20 µs a hash, for tests that are not about the cost. */
export const cheapArgon2 = { memoryKiB: 32, iterations: 1, parallelism: 1 } as const;
/** The default cost (docs/decisions.md, Password hashing). */
export const standardArgon2 = { memoryKiB: 19_456, iterations: 2, parallelism: 1 } as const;

/** One thread of each kind. */
export const testPoolOptions = {
  hashThreads: 1,
  signThreads: 1,
  argon2: cheapArgon2,
  jwtSecret: 'a test secret of more than thirty-two bytes',
  jwtKeyId: '',
  maxQueuedHashes: 64,
} as const satisfies CryptoPoolOptions;

/** Opens a pool that is closed when the test ends. */
export async function openTestPool(t: Tap, options: Partial<CryptoPoolOptions> = {}): Promise<CryptoPool> {
  const pool = await openCryptoPool({ ...testPoolOptions, ...options });
  t.teardown(() => pool.close());
  return pool;
}

interface Tap {
  teardown(fn: () => Promise<void>): void;
}
