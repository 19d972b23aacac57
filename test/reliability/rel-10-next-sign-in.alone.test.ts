/** REL-10: how soon a job and a sign-in work after crypto threads have died. */
import { findQuickest } from '../support/quickest.js';
import { onlyInFull, ownProcess, t } from '../support/tap.js';
import { openWatchedPool } from '../support/watched-pool.js';
import { openWatchedServer } from '../support/watched-server.js';

onlyInFull('a limit of a second; the same without one: rel-10-lost-thread and rel-10-lost-thread-http');
ownProcess('collects every worker thread of its process');

/** How many of the threads stay. */
for (const survivors of [2, 0]) {
  t.test(`REL-10: a sign-in within a second, ${survivors} threads left`, async (t) => {
    const { threads, end, signIn } = await openWatchedServer(t, { CRYPTO_THREADS: survivors === 0 ? '1' : '2' });
    const { ms } = await findQuickest(1000, async () => {
      await end(threads.slice(0, threads.length - survivors));
      t.equal((await signIn()).status, 200);
    });
    t.ok(ms < 1000, `${Math.round(ms)} ms`);
  });
}

t.test('REL-10 with the only thread gone the next job is done within a second', async (t) => {
  const { pool, threads, end } = await openWatchedPool(t);
  let only = threads[0]!;
  const { ms, tries } = await findQuickest(1000, async () => {
    await end([only]);
    t.match(await pool.hashPassword('password'), /^\$argon2id/);
    only = threads.at(-1)!;
  });
  t.ok(ms < 1000, `${Math.round(ms)} ms`);
  t.equal(pool.stats().threadsLost, tries);
});
