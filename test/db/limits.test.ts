import { type CounterRule, pruneCounters, resetCounter, takeFromCounter } from '../../src/db/limits.js';
import { openDatabase } from '../../src/db/pool.js';
import { createTestDatabase } from '../support/database.js';
import { silentLog } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';

async function openCounters(t: Test) {
  const { url, admin } = await createTestDatabase(t);
  const db = openDatabase({ url, maxConnections: 8, prefix: '', preparedStatements: true, log: silentLog });
  t.teardown(() => db.close());
  /** Moves every counter into the past. */
  const age = (seconds: number) =>
    admin.query('update rate_counters set updated_at = updated_at - make_interval(secs => $1)', [seconds]);
  const take = (rule: CounterRule, key = 'k') => takeFromCounter(db, rule, 'test', key);
  return { db, admin, age, take };
}

const isNear = (t: Test, seconds: number, expected: number, name: string) =>
  t.ok(Math.abs(seconds - expected) < 1, `${name}: ${seconds} s, expected about ${expected}`);

t.test('a bucket grants its burst, then one whenever enough has drained', async (t) => {
  const { take, age } = await openCounters(t);
  const rule = { kind: 'bucket', most: 3, perSecond: 0.1 } as const;
  for (let i = 0; i < 3; i++) t.equal(await take(rule), 0, `${i + 1} of the burst`);
  isNear(t, await take(rule), 10, 'full');
  isNear(t, await take(rule), 10, 'a rejected request costs nothing');
  await age(4);
  isNear(t, await take(rule), 6, 'some drained');
  await age(6.5);
  t.equal(await take(rule), 0, 'one drained');
  isNear(t, await take(rule), 9.5, 'full again, and nothing of the rest was lost');
  t.equal(await take(rule, 'another'), 0, 'keys do not share');
  await age(1000);
  for (let i = 0; i < 3; i++) t.equal(await take(rule), 0, `${i + 1} after a long time`);
  t.ok((await take(rule)) > 0, 'no more than the burst is ever saved up');
});

t.test('a window grants its number from its first request', async (t) => {
  const { take, age } = await openCounters(t);
  const rule = { kind: 'window', most: 2, seconds: 60 } as const;
  t.equal(await take(rule), 0);
  await age(20);
  t.equal(await take(rule), 0);
  isNear(t, await take(rule), 40, 'the window ends 60 s after its first');
  await age(39);
  t.ok((await take(rule)) > 0, 'rejected until the end');
  await age(1.5);
  for (let i = 0; i < 2; i++) t.equal(await take(rule), 0, `${i + 1} of the next window`);
  isNear(t, await take(rule), 60, 'which began with its first');
});

t.test('SEC-67: exactly as many as the limit, under any concurrency', async (t) => {
  const { db, take } = await openCounters(t);
  for (const rule of [
    { kind: 'bucket', most: 30, perSecond: 1e-6 },
    { kind: 'window', most: 30, seconds: 3600 },
  ] as const) {
    const waits: number[] = [];
    // More at once than there are connections, and fewer than would wait too long for one on a busy machine.
    const askInTurn = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) waits.push(await take(rule, rule.kind));
    };
    await Promise.all(Array.from({ length: 20 }, askInTurn));
    t.equal(waits.filter((wait) => wait === 0).length, 30, rule.kind);
    t.ok(
      waits.every((wait) => wait === 0 || wait > 10),
      'every other gets a waiting time',
    );
    await resetCounter(db, 'test', rule.kind);
    t.equal(await take(rule, rule.kind), 0, 'a forgotten counter begins anew');
  }
});

t.test('a clock that was set back does not open a bucket', async (t) => {
  const { take, age } = await openCounters(t);
  const rule = { kind: 'bucket', most: 1, perSecond: 1 } as const;
  t.equal(await take(rule), 0);
  await age(-100);
  isNear(t, await take(rule), 1, 'no time has passed');
});

t.test('old counters are pruned in batches, and those in use are kept', async (t) => {
  const { db, admin, take, age } = await openCounters(t);
  const rule = { kind: 'window', most: 1, seconds: 60 } as const;
  for (const key of ['a', 'b', 'c', 'd']) await take(rule, key);
  await age(100);
  await take(rule, 'fresh');
  await admin.query('begin');
  await admin.query("select from rate_counters where key = 'd' for update");
  t.equal(await pruneCounters(db, 90, 2), 2);
  t.equal(await pruneCounters(db, 90, 2), 1, 'the one in use does not hold it up');
  await admin.query('commit');
  t.equal(await pruneCounters(db, 90, 2), 1);
  const { rows } = await admin.query('select key from rate_counters');
  t.same(rows, [{ key: 'fresh' }]);
});
