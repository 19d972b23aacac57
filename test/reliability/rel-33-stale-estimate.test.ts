import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';
import { until } from '../support/until.js';

const SLOW_JOBS = 8;
/** Thousands of times the work of the other hashes here: a job whose thread hardly gets a processor. */
const slowHash = `$argon2id$v=19$m=65536,t=10,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

// That an idle gate then accepts 32 at once is shown by unit/workers-hash-gate with a clock of its own: here, other load
// on the machine would decide it.
t.test('REL-33: after very long jobs the estimate of an idle pool comes back by itself', async (t) => {
  const pool = await openTestPool(t);
  t.ok(pool.isUsableHash(slowHash));
  await pool.hashPassword('password');
  const usual = pool.stats().hashesPerSecond;
  for (let n = 0; n < SLOW_JOBS; n++) await pool.verifyPassword('password', slowHash);
  t.ok(pool.stats().hashesPerSecond < usual / 2, `${pool.stats().hashesPerSecond} after ${usual} a second`);
  await until(() => pool.stats().hashesPerSecond > usual * 0.9);
});
