import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { openCryptoPool } from '../../src/workers/pool.js';
import { cheapArgon2, openTestPool } from '../support/crypto-pool.js';
import { skipHere } from '../support/not-here.js';
import { t } from '../support/tap.js';

for (const engine of ['accelerator', 'portable'] as const) {
  t.test(`closing finishes jobs in flight and lets the process end, with the ${engine} engine`, async (t) => {
    const script = new URL('../support/close-while-hashing.js', import.meta.url).pathname;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, engine]);
    t.same(JSON.parse(stdout), {
      engine: engine === 'portable' ? 'argon2' : '@node-rs/argon2',
      fulfilled: 604,
      late: 'CRYPTO_POOL_FULL',
    });
    t.equal(stderr, '');
  });
}

t.test('a pool hashes, verifies and signs, and reports its state', async (t) => {
  const pool = await openTestPool(t, { hashThreads: 2 });
  const hash = await pool.hashPassword('password');
  t.same(await pool.verifyPassword('password', hash), { matches: true, renewedHash: null });
  t.same(await pool.verifyPassword('Password', hash), { matches: false, renewedHash: null });
  t.same(await pool.verifyPassword('password', null), { matches: false, renewedHash: null });
  t.ok(pool.isUsableHash(hash));
  t.notOk(pool.isUsableHash('plaintext'));
  t.match(await pool.hashOneTimeCode('recovery', 'a@example.com', '123456'), /^[0-9a-f]{64}$/);
  t.match(pool.stats(), {
    engine: '@node-rs/argon2',
    hashThreads: 2,
    hashesRunning: 0,
    hashesQueued: 0,
    hashesRejected: 0,
    signaturesQueued: 0,
    threadsLost: 0,
  });
  t.ok(pool.stats().hashesPerSecond > 0);
});

t.test('after close every job is rejected and a second close is harmless', async (t) => {
  const pool = await openTestPool(t);
  await pool.close();
  const full = { code: 'CRYPTO_POOL_FULL', retryAfterSeconds: 1 };
  await t.rejects(
    pool.withHashSlot(async () => t.fail('started')),
    full,
  );
  await t.rejects(pool.hashPassword('x'), full);
  await t.rejects(pool.verifyPassword('x', null), full);
  await t.rejects(pool.signJwt(JSON.stringify({})), full);
  await t.rejects(pool.hashOneTimeCode('a', 'b', 'c'), full);
  await pool.close();
  t.equal(pool.stats().threadsLost, 0);
});

t.test('tokens that can wait are signed before the pool closes', async (t) => {
  const pool = await openTestPool(t);
  const tokens = ['{"n":1}', '{"n":2}'].map((payload) => pool.signJwt(payload, 'JWT', true));
  await pool.close();
  t.equal(new Set(await Promise.all(tokens)).size, 2);
});

t.test('invalid parameters fail at start, not at the first sign-up', async (t) => {
  await t.rejects(
    openCryptoPool({
      hashThreads: 1,
      signThreads: 1,
      argon2: { ...cheapArgon2, parallelism: 0 },
      jwtSecret: 'x',
      jwtKeyId: '',
      maxQueuedHashes: 1,
    }),
  );
});

t.test('only hash threads run at a lower priority', async (t) => {
  if (process.platform !== 'linux') return skipHere(t, 'only Linux gives each thread a priority of its own');
  // Where the tests themselves run at that priority, all threads have it.
  if (getPriority() >= 10) return skipHere(t, 'started at a lower priority');
  const before = countNiced();
  await openTestPool(t, { hashThreads: 3 });
  t.equal(countNiced() - before, 3);
});

/** How many threads of this process run at nice 10: field 19 of proc(5) stat. */
function countNiced(): number {
  return readdirSync('/proc/self/task').filter((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] === '10';
  }).length;
}
