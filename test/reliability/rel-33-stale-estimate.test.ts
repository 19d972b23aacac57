import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { openTestPool, standardArgon2 } from '../support/crypto-pool.js';

const CLIENTS = 32;
/** Some thirty times the work of a usual hash: the time that a job takes whose thread gets a thirtieth of a processor. */
const starving = { memoryKiB: 65_536, iterations: 20, parallelism: 1 } as const;

t.test('REL-33: after jobs that took very long an idle pool takes 32 at once', async (t) => {
  const slow = await openTestPool(t, { argon2: starving });
  const slowHash = await slow.hashPassword('password');
  const pool = await openTestPool(t, { argon2: standardArgon2, hashThreads: 2 });
  const hash = await pool.hashPassword('password');

  for (let n = 0; n < 6; n++) {
    await Promise.all([pool.verifyPassword('wrong', slowHash), pool.verifyPassword('wrong', slowHash)]);
  }
  await pause(1_000);

  const lookUp = pause(20);
  const answers = await Promise.allSettled(
    Array.from({ length: CLIENTS }, () =>
      pool.withHashPlace(async (hashing) => {
        await lookUp;
        return hashing.verifyPassword('password', hash);
      }),
    ),
  );
  t.equal(pool.stats().hashesRefused, 0);
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, CLIENTS);
});
