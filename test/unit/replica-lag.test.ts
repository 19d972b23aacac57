import { setTimeout as pause } from 'node:timers/promises';
import { measureLag, watchReplica } from '../../src/db/replica.js';
import type { Database } from '../../src/db/types.js';
import { rememberingLog } from '../support/sql-files.js';
import { t } from '../support/tap.js';

t.test('lag counts from the first sample at which the primary was ahead', async (t) => {
  const samples = () => [
    { atMs: 1000, position: 10 },
    { atMs: 2000, position: 20 },
    { atMs: 3000, position: 30 },
  ];
  t.equal(measureLag(samples(), 30, 3500), 0, 'all is there');
  t.equal(measureLag(samples(), 45, 3500), 0, 'also what was written since');
  t.equal(measureLag(samples(), 29, 3500), 500);
  t.equal(measureLag(samples(), 10, 3500), 1500);
  t.equal(measureLag(samples(), 9, 3500), 2500);
  const kept = samples();
  measureLag(kept, 20, 3500);
  t.same(kept, [{ atMs: 3000, position: 30 }], 'what was reached is forgotten');
  const many = Array.from({ length: 500 }, (_, index) => ({ atMs: index, position: index + 1 }));
  t.equal(measureLag(many, 0, 1000), 1000, 'the oldest gap counts');
  t.ok(many.length <= 100, 'and little is kept');
});

/** A fake server with configurable answers. */
function fakeServer(position: { value: number | null }): Database {
  return {
    run: async <Row>() => [{ position: position.value }] as Row[],
    transaction: async () => Promise.reject(new Error('not here')),
    isReady: async () => true,
    stats: () => ({ open: 0, idle: 0, waiting: 0, limit: 0 }),
    close: async () => undefined,
  };
}

t.test('a replica is read only while its lag is known', async (t) => {
  const written = { value: 100 };
  const replayed: { value: number | null } = { value: 100 };
  const log = rememberingLog();
  const replica = fakeServer(replayed);
  const watch = watchReplica({ primary: fakeServer(written), replica, maxLagSeconds: 0.05, log, intervalMs: 50 });
  t.teardown(() => watch.close());
  t.equal(watch.usable(), null, 'nothing is known yet');
  const until = async (isFresh: boolean): Promise<void> => {
    while ((watch.usable() !== null) !== isFresh) await pause(5);
  };
  // On a busy machine the last comparison can become too old before the next one gives the reason.
  const untilWarned = async (reason: RegExp): Promise<void> => {
    while (!reason.test(log.warnings.at(-1) ?? '')) await pause(5);
  };
  await until(true);
  t.equal(watch.usable(), replica);

  written.value = 200;
  await until(false);
  await untilWarned(/too far behind/);
  t.match(log.warnings, [/too far behind; all reads go to the primary/]);
  replayed.value = 200;
  await until(true);

  watch.markFailed();
  t.equal(watch.usable(), null, 'after a read that failed');
  await until(true);

  replayed.value = null;
  await until(false);
  await untilWarned(/is not a replica/);
  t.match(log.warnings.at(-1), /AUTH_DB_REPLICA_URL is not a replica/);
});
