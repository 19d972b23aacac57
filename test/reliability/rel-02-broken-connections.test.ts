import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/db/pool.js';
import type { Database } from '../../src/db/types.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { withAdmin } from '../support/postgres.js';
import { silentLog } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';

const queries = {
  'a.sql': `
-- name: backend
-- read
select pg_backend_pid() as pid;

-- name: sleep
select pg_sleep(30);

-- name: write
insert into notes values ('x');
`,
};

async function open(t: Test, maxConnections: number): Promise<{ database: Database; test: TestDatabase }> {
  const test = await createTestDatabase(t, { isEmpty: true });
  await test.admin.query('create table notes (note text)');
  const database = openDatabase({
    url: test.url,
    maxConnections,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: t.testdir(queries),
  });
  t.teardown(() => database.close());
  return { database, test };
}

const endOthers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

// An 'error' event without a listener would end this process, and with it the test.

t.test('REL-02: losing idle connections is survived and they are replaced', async (t) => {
  const { database, test } = await open(t, 3);
  const before = await Promise.all([1, 2, 3].map(() => database.run<{ pid: number }>('a.backend', [])));
  await test.admin.query(endOthers);
  await pause(100);
  t.equal(database.stats().open, 0, 'thrown away');
  const after = await database.run<{ pid: number }>('a.backend', []);
  t.notOk(before.flat().some(({ pid }) => pid === after[0]?.pid));
});

t.test('REL-02: losing a busy connection (57P01) is unavailable, and the next call succeeds', async (t) => {
  const { database, test } = await open(t, 1);
  const asleep = database.run('a.sleep', []).catch((error: unknown) => error);
  await pause(200);
  await test.admin.query(endOthers);
  t.match(await asleep, { code: 'DATABASE_UNAVAILABLE', cause: { code: '57P01' } });
  t.equal((await database.run('a.backend', [])).length, 1);
});

t.test('REL-02: losing a connection between the statements of a transaction rolls it back', async (t) => {
  const { database, test } = await open(t, 1);
  let rounds = 0;
  await t.rejects(
    database.transaction(async (inside) => {
      rounds += 1;
      await inside.run('a.write', []);
      await test.admin.query(endOthers);
      await pause(100);
      await inside.run('a.write', []);
    }),
    { code: 'DATABASE_UNAVAILABLE' },
  );
  t.equal(rounds, 2, 'nothing had been committed, so once more was safe');
  t.same((await test.admin.query('select count(*)::int as count from notes')).rows, [{ count: 0 }]);
});

t.test('REL-02: a connection to a server that has become read-only (25006) is not used again', async (t) => {
  const { database, test } = await open(t, 1);
  const name = new URL(test.url).pathname.slice(1);
  await test.admin.query(`alter database ${name} set default_transaction_read_only = on`);
  await t.rejects(database.run('a.write', []), { code: 'DATABASE_UNAVAILABLE', cause: { code: '25006' } });
  await pause(50);
  t.equal(database.stats().open, 0);
  await test.admin.query('set default_transaction_read_only = off');
  await test.admin.query(`alter database ${name} reset default_transaction_read_only`);
  await database.run('a.write', []);
  t.same((await test.admin.query('select count(*)::int as count from notes')).rows, [{ count: 1 }]);
});

t.test('REL-02: when the server has no slot left the callers share the open connections', async (t) => {
  const test = await createTestDatabase(t, { isEmpty: true });
  const role = `narrow_${new URL(test.url).pathname.slice(-12)}`;
  await test.admin.query(`create role ${role} login password 'narrow' connection limit 1`);
  t.teardown(() => withAdmin(test.url, (admin) => admin.query(`drop role ${role}`)));
  const url = new URL(test.url);
  url.username = role;
  url.password = 'narrow';
  const database = openDatabase({
    url: url.href,
    maxConnections: 4,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: t.testdir(queries),
  });
  const backends = await Promise.all([1, 2, 3, 4].map(() => database.run<{ pid: number }>('a.backend', [])));
  t.equal(new Set(backends.flat().map(({ pid }) => pid)).size, 1);
  t.equal(database.stats().limit, 1);
  await database.close();
});
