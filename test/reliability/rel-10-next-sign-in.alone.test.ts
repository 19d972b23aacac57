/** REL-10: how soon a sign-in works after crypto threads have died. */
import { findQuickest } from '../support/quickest.js';
import { ownProcess, t } from '../support/tap.js';
import { openWatchedServer } from '../support/watched-server.js';

ownProcess('collects every worker thread of its process');

/** How many of the threads stay. */
for (const survivors of [2, 0]) {
  t.test(`REL-10: a sign-in within a second, ${survivors} threads left`, async (t) => {
    const { threads, signIn } = await openWatchedServer(t, { CRYPTO_THREADS: survivors === 0 ? '1' : '2' });
    const { ms } = await findQuickest(1000, async () => {
      await Promise.all(threads.slice(0, threads.length - survivors).map((thread) => thread.terminate()));
      t.equal((await signIn()).status, 200);
    });
    t.ok(ms < 1000, `${Math.round(ms)} ms`);
  });
}
