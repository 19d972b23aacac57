import { setTimeout as pause } from 'node:timers/promises';
import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

const CLIENTS = 32;
const SLOW_JOBS = 8;
/** Thousands of times the work of the other hashes here: a job whose thread hardly gets a processor. */
const slowHash = `$argon2id$v=19$m=65536,t=10,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

t.test('REL-33: after very long jobs an idle pool accepts 32 at once', async (t) => {
  const pool = await openTestPool(t);
  t.ok(pool.isUsableHash(slowHash));
  const hash = await pool.hashPassword('password');
  for (let n = 0; n < SLOW_JOBS; n++) await pool.verifyPassword('password', slowHash);
  await pause(1_000);

  const lookUp = pause(20);
  const answers = await Promise.allSettled(
    Array.from({ length: CLIENTS }, () =>
      pool.withHashSlot(async (hashing) => {
        await lookUp;
        return hashing.verifyPassword('password', hash);
      }),
    ),
  );
  t.equal(pool.stats().hashesRejected, 0);
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, CLIENTS);
});
