import { once } from 'node:events';
import { CryptoPoolFullError } from '../../src/workers/errors.js';
import type { CryptoPool } from '../../src/workers/wire.js';
import { standardArgon2 } from '../support/crypto-pool.js';
import { ownProcess, t } from '../support/tap.js';
import { openWatchedPool } from '../support/watched-pool.js';

ownProcess('collects every worker thread of its process');

/**
 * A job that waits is turned away after two seconds, which a busy machine may take, and did nothing then.
 * @returns how each ended, that of a waiting one by another try where it was turned away
 */
function settleJobs(pool: CryptoPool, jobs: readonly Promise<string>[]): Promise<PromiseSettledResult<string>[]> {
  const again = (error: unknown): Promise<string> => {
    if (error instanceof CryptoPoolFullError) return pool.hashPassword('password').catch(again);
    throw error;
  };
  return Promise.allSettled(jobs.map((job) => job.catch(again)));
}

t.test('REL-10 a thread that exits fails only its own request and is replaced', async (t) => {
  // The accelerator computes inside the thread, which then ends after the hash. With the portable engine the process
  // would abort: the reason why the pool itself never ends a thread that works.
  const { pool, threads, end } = await openWatchedPool(t, {
    hashThreads: 2,
    argon2: standardArgon2,
    engine: 'accelerator',
  });
  const jobs = Array.from({ length: 4 }, () => pool.hashPassword('password'));
  const results = settleJobs(pool, jobs);
  await end([threads[0]!]);
  t.same(
    (await results).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  t.equal(pool.stats().threadsLost, 1);
  t.match(pool.stats(), { hashesRunning: 0, hashesQueued: 0 }, 'its place in the queue is free again');
});

t.test('REL-10 a thread out of memory fails only its own request', async (t) => {
  const { pool, threads } = await openWatchedPool(t, { hashThreads: 2, argon2: standardArgon2, engine: 'accelerator' });
  const outOfMemory = Object.assign(new Error('Worker terminated'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  const jobs = Array.from({ length: 4 }, () => pool.hashPassword('password'));
  const results = settleJobs(pool, jobs);
  // This is how Node reports it; the thread ends right after.
  threads[0]!.emit('error', outOfMemory);
  const [first, ...others] = await results;
  t.match(first, { status: 'rejected', reason: { code: 'ERR_WORKER_OUT_OF_MEMORY' } });
  t.ok(others.every(({ status }) => status === 'fulfilled'));
  // An idle thread: no request fails, and the process continues.
  threads[1]!.emit('error', outOfMemory);
  t.match(await pool.hashPassword('password'), /^\$argon2id/);
  t.equal(pool.stats().threadsLost, 2);
});

t.test('REL-10 a signing thread that ends costs no token', async (t) => {
  const { pool, threads, end } = await openWatchedPool(t);
  const tokens = Array.from({ length: 300 }, (_, n) => pool.signJwt(JSON.stringify({ n })));
  await new Promise((resolve) => setImmediate(resolve));
  await end([threads[1]!]);
  t.equal(new Set(await Promise.all(tokens)).size, 300);
  t.ok(await pool.signJwt(JSON.stringify({ n: 4 })));
});

t.test('REL-10, REL-15: a pool that closes lets a thread load that replaces a lost one', async (t) => {
  const { pool, threads, end } = await openWatchedPool(t);
  await end([threads[0]!]);
  while (threads.length === 2) await once(process, 'worker');
  const events: string[] = [];
  threads
    .at(-1)!
    .once('message', () => events.push('loaded'))
    .once('exit', () => events.push('ended'));
  await pool.close();
  t.same(events, ['loaded', 'ended']);
});

t.test('REL-10 claims large enough to exhaust the signing thread never reach it', async (t) => {
  const { pool } = await openWatchedPool(t);
  const large = Array.from({ length: 40 }, (_, n) =>
    pool.signJwt(JSON.stringify({ n, text: '\u{1F98A}'.repeat(500_000) })),
  );
  const tooLarge = pool.signJwt(JSON.stringify({ text: 'x'.repeat(1_048_576) }));
  await t.rejects(tooLarge, { name: 'RangeError' });
  await Promise.all(large);
  t.equal(pool.stats().threadsLost, 0);
});
