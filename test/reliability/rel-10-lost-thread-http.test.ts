import type { Answer } from '../support/server.js';
import { ownProcess, t } from '../support/tap.js';
import { assertUnavailable, revealsNothing } from '../support/unavailable.js';
import { openWatchedServer } from '../support/watched-server.js';

ownProcess('collects every worker thread of its process');

t.test('REL-10: a hash thread that dies while busy fails one request', async (t) => {
  // The accelerator works inside the thread, and while others wait the thread is at work.
  const settings = { CRYPTO_THREADS: '2', PASSWORD_ARGON2_MEMORY_KIB: '19456', PASSWORD_ARGON2_ITERATIONS: '4' };
  const { threads, end, signIn } = await openWatchedServer(t, settings);
  let failed: Answer[] = [];
  // A thread may be met between two jobs, where its end costs nothing: then the one that replaced it ends, too.
  for (let tries = 0; failed.length === 0 && tries < 10; tries++) {
    const sent = Array.from({ length: 12 }, signIn);
    await Promise.race(sent);
    await end([threads.at(tries === 0 ? 0 : -1)!]);
    const answers = await Promise.all(sent);
    failed = answers.filter(({ status }) => status === 500);
    // On a machine busy with other things some may have waited too long.
    for (const answer of answers) if (![200, 500].includes(answer.status)) assertUnavailable(t, answer);
  }
  t.equal(failed.length, 1, 'of those that were sent');
  t.match(failed[0]!.body, { code: 500, error_code: 'unexpected_failure' });
  t.ok(revealsNothing(failed[0]!.body), 'SEC-73');
  t.equal((await signIn()).status, 200, 'and the next one is answered');
});

t.test('REL-10: with the only hashing thread and the signing thread gone, the next sign-in works', async (t) => {
  const { threads, end, signIn } = await openWatchedServer(t, { CRYPTO_THREADS: '1' });
  await end(threads);
  t.equal((await signIn()).status, 200);
});
