import { openDatabase } from '../../src/db/pool.js';
import { NotSentError, retryWhereSafe, translateError } from '../../src/db/retry.js';
import type { Database } from '../../src/db/types.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.js';
import { silentLog } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';

const queries = {
  'a.sql': `
-- name: write
insert into notes values ('x') returning note;

-- name: read
-- read
select count(*) as notes from notes;

-- name: lock_first
select from notes where note = 'first' for update;

-- name: lock_second
select from notes where note = 'second' for update;
`,
};

async function open(t: Test): Promise<{ database: Database; faulty: FaultyServer; test: TestDatabase }> {
  const test = await createTestDatabase(t, { isEmpty: true });
  await test.admin.query('create table notes (note text)');
  const faulty = await startFaultyServer(t, test.url);
  const database = openDatabase({
    url: faulty.url,
    maxConnections: 2,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: t.testdir(queries),
  });
  t.teardown(() => database.close());
  return { database, faulty, test };
}

const countNotes = async (test: TestDatabase): Promise<number> =>
  (await test.admin.query('select count(*)::int as count from notes')).rows[0].count;

t.test('REL-03: a write whose answer is lost is not repeated', async (t) => {
  const { database, faulty, test } = await open(t);
  faulty.loseAnswer('a.write');
  await t.rejects(database.run('a.write', []), { code: 'DATABASE_UNAVAILABLE' });
  t.equal(await countNotes(test), 1, 'written once, though not acknowledged');
});

t.test('REL-03: a write that may have been lost on the way is not repeated either', async (t) => {
  const { database, faulty, test } = await open(t);
  faulty.loseRequest('a.write');
  await t.rejects(database.run('a.write', []), { code: 'DATABASE_UNAVAILABLE' });
  t.equal(await countNotes(test), 0);
});

t.test('REL-03: a transaction whose COMMIT gets no answer is not repeated', async (t) => {
  const { database, faulty, test } = await open(t);
  let rounds = 0;
  faulty.loseAnswer('commit');
  await t.rejects(
    database.transaction(async (inside) => {
      rounds += 1;
      await inside.run('a.write', []);
    }),
    { code: 'DATABASE_UNAVAILABLE' },
  );
  t.equal(rounds, 1);
  t.equal(await countNotes(test), 1);
});

t.test('REL-03: a read is repeated once', async (t) => {
  const { database, faulty } = await open(t);
  faulty.loseAnswer('a.read');
  t.same(await database.run('a.read', []), [{ notes: 0 }]);
});

t.test('REL-03: deadlocked transactions are repeated until both are done', async (t) => {
  const { database, test } = await open(t);
  await test.admin.query(`insert into notes values ('first'), ('second')`);
  await test.admin.query(`alter database ${new URL(test.url).pathname.slice(1)} set deadlock_timeout = '20ms'`);
  let rounds = 0;
  let arrived = 0;
  let meet = (): void => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const crossing = (one: string, other: string): Promise<void> =>
    database.transaction(async (inside) => {
      rounds += 1;
      await inside.run(one, []);
      arrived += 1;
      if (arrived === 2) meet();
      await met;
      await inside.run(other, []);
    });
  await Promise.all([crossing('a.lock_first', 'a.lock_second'), crossing('a.lock_second', 'a.lock_first')]);
  t.ok(rounds >= 3, `${rounds} rounds`);
});

const sqlError = (code: string): Error => Object.assign(new Error(code), { code, severity: 'ERROR' });

const lostWorker = Object.assign(sqlError('XX000'), { routine: 'MarkRemoteTransactionFailed' });

t.test('REL-03: a coordinator that goes on losing its worker is a database that is not there', async (t) => {
  t.match(translateError(lostWorker, ''), { code: 'DATABASE_UNAVAILABLE', cause: lostWorker });
  t.match(translateError(sqlError('XX000'), ''), { code: 'XX000' });
});

t.test('REL-03: a caller learns whether the statement was sent', async (t) => {
  t.match(translateError(new NotSentError(new Error('Connection terminated unexpectedly'), false), ''), {
    code: 'DATABASE_UNAVAILABLE',
    wasSent: false,
  });
  t.match(translateError(new Error('Connection terminated unexpectedly'), ''), { wasSent: true });
});

t.test('REL-03: how often each kind of failure is repeated', async (t) => {
  const tries = async (isRead: boolean, error: Error): Promise<number> => {
    let count = 0;
    const work = async (): Promise<never> => {
      count += 1;
      throw error;
    };
    await t.rejects(retryWhereSafe(isRead, work), error);
    return count;
  };
  t.equal(await tries(false, sqlError('40001')), 4);
  t.equal(await tries(false, sqlError('40P01')), 4);
  t.equal(await tries(false, lostWorker), 4, 'a coordinator of Citus has lost a worker before the commit');
  t.equal(await tries(false, sqlError('XX000')), 1);
  t.equal(await tries(false, sqlError('LK002')), 4, 'a session was given to another shard meanwhile');
  t.equal(await tries(false, new NotSentError(new Error('refused'), true)), 2);
  t.equal(await tries(false, new NotSentError(new Error('refused'), false)), 1, 'no time left');
  t.equal(await tries(false, sqlError('57P01')), 1);
  t.equal(await tries(true, sqlError('57P01')), 2);
  t.equal(await tries(false, Object.assign(new Error('reset'), { code: 'ECONNRESET' })), 1);
  t.equal(await tries(true, Object.assign(new Error('reset'), { code: 'ECONNRESET' })), 2);
  t.equal(await tries(true, sqlError('23505')), 1);
  t.equal(await tries(true, sqlError('57014')), 1, 'a slow read would be as slow again');
  t.equal(await tries(true, new Error('Query read timeout')), 1, 'a client-side time-out');
  t.equal(await tries(false, sqlError('26000')), 2, 'refused before it ran');
});
