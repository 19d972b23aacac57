import type { Worker } from 'node:worker_threads';
import { findQuickest } from '../support/quickest.js';
import { type Answer, freshEmail, openTestServer, password } from '../support/server.js';
import { ownProcess, type Test, t } from '../support/tap.js';
import { assertUnavailable, revealsNothing } from '../support/unavailable.js';

ownProcess('collects every worker thread of its process');

/** A test server and its crypto threads in the order they were started: those that hash first, the signing one last. */
async function openWatchedServer(t: Test, settings: Record<string, string>) {
  const threads: Worker[] = [];
  const collect = (thread: Worker) => threads.push(thread);
  process.on('worker', collect);
  t.teardown(() => process.off('worker', collect));
  const server = await openTestServer(t, settings);
  const email = freshEmail();
  t.equal((await server.post('/signup', { email, password })).status, 200);
  const signIn = () => server.post('/token?grant_type=password', { email, password });
  return { threads, signIn };
}

t.test('REL-10: a hash thread that dies while busy fails one request', async (t) => {
  // The accelerator works inside the thread, and while others wait the thread is at work.
  const settings = { CRYPTO_THREADS: '2', PASSWORD_ARGON2_MEMORY_KIB: '19456', PASSWORD_ARGON2_ITERATIONS: '4' };
  const { threads, signIn } = await openWatchedServer(t, settings);
  let failed: Answer[] = [];
  // A thread may be met between two jobs, where its end costs nothing: then the one that replaced it ends, too.
  for (let tries = 0; failed.length === 0 && tries < 10; tries++) {
    const sent = Array.from({ length: 12 }, signIn);
    await Promise.race(sent);
    await threads.at(tries === 0 ? 0 : -1)!.terminate();
    const answers = await Promise.all(sent);
    failed = answers.filter(({ status }) => status === 500);
    // On a machine busy with other things some may have waited too long.
    for (const answer of answers) if (![200, 500].includes(answer.status)) assertUnavailable(t, answer);
  }
  t.equal(failed.length, 1, 'of those that were sent');
  t.match(failed[0]!.body, { code: 500, error_code: 'unexpected_failure' });
  t.ok(revealsNothing(failed[0]!.body), 'SEC-73');
  const { ms, result } = await findQuickest(1000, signIn);
  t.equal(result.status, 200);
  t.ok(ms < 1000, `a sign-in afterwards took ${Math.round(ms)} ms`);
});

t.test('REL-10: with the only hashing thread and the signing thread gone, the next sign-in works', async (t) => {
  const { threads, signIn } = await openWatchedServer(t, { CRYPTO_THREADS: '1' });
  const { ms } = await findQuickest(1000, async () => {
    await Promise.all(threads.map((thread) => thread.terminate()));
    t.equal((await signIn()).status, 200);
  });
  t.ok(ms < 1000, `${Math.round(ms)} ms`);
});
