/**
 * Closes a crypto pool with jobs in flight; the process then exits by itself. The argument is the engine; it prints one
 * line of JSON. A separate process, because ending a thread inside argon2 would abort it.
 */
import { openCryptoPool } from '../../src/workers/pool.js';
import { testPoolOptions } from './crypto-pool.js';

/** A hash is under way when the pool closes, and two that wait are not given up on a busy machine. */
const argon2 = { memoryKiB: 4096, iterations: 1, parallelism: 1 } as const;

const pool = await openCryptoPool({
  ...testPoolOptions,
  hashThreads: 2,
  argon2,
  engine: process.argv[2] as 'accelerator' | 'portable',
});
const hashes = Array.from({ length: 4 }, () => pool.hashPassword('password'));
const tokens = Array.from({ length: 600 }, (_, n) => pool.signJwt(JSON.stringify({ n })));
const closed = pool.close();
const late = await pool.hashPassword('too late').catch((error: { code?: string }) => error.code);
await Promise.all([closed, pool.close()]);
const done = [...(await Promise.allSettled(hashes)), ...(await Promise.allSettled(tokens))];
const fulfilled = done.filter(({ status }) => status === 'fulfilled').length;
process.stdout.write(`${JSON.stringify({ engine: pool.stats().engine, fulfilled, late })}\n`);
