import fc from 'fast-check';
import { makeOneTimeCodeHasher } from '../../src/workers/tasks/otp.js';
import { openTestPool } from '../support/crypto-pool.js';
import { t } from '../support/tap.js';

t.test('SEC-37 one code hashes differently for every recipient, purpose and secret', async (t) => {
  const pool = await openTestPool(t);
  const other = await openTestPool(t, { jwtSecret: 'another secret, also of more than 32 bytes' });
  const hashes = await Promise.all([
    pool.hashOneTimeCode('recovery', 'a@example.com', '123456'),
    pool.hashOneTimeCode('recovery', 'b@example.com', '123456'),
    pool.hashOneTimeCode('signup', 'a@example.com', '123456'),
    pool.hashOneTimeCode('recovery', 'a@example.com', '123457'),
    other.hashOneTimeCode('recovery', 'a@example.com', '123456'),
  ]);
  t.equal(new Set(hashes).size, hashes.length);
  t.equal(await pool.hashOneTimeCode('recovery', 'a@example.com', '123456'), hashes[0], 'and the same for the same');
});

t.test('SEC-37 no two triples share a hash, wherever their parts are split', (t) => {
  const hash = makeOneTimeCodeHasher('secret');
  const part = fc.stringMatching(/^[a|0\u0000]{0,3}$/);
  const triple = fc.tuple(part, part, part);
  fc.assert(
    fc.property(triple, triple, (a, b) => (hash(a) === hash(b)) === (JSON.stringify(a) === JSON.stringify(b))),
    { numRuns: 2_000 },
  );
  t.not(hash(['a', 'bc', '1']), hash(['ab', 'c', '1']));
  t.end();
});

t.test('SEC-37 the hash stays the same from release to release: pending codes survive an upgrade', (t) => {
  t.equal(
    makeOneTimeCodeHasher('secret')(['recovery', 'a@example.com', '123456']),
    'faf0d4340b9d1a8cf2c420ca58f4d6b771fa0ddc4d4e6fa77c3a5d02feeb9e4a',
  );
  t.end();
});
