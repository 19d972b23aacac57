import { setTimeout as pause } from 'node:timers/promises';
import { isForeignKeyViolation, isUniqueViolation } from '../../src/db/errors.js';
import { type DatabaseOptions, openDatabase } from '../../src/db/pool.js';
import type { Database } from '../../src/db/types.js';
import { countGrantedConnections, createTestDatabase, type TestDatabase } from '../support/database.js';
import { rememberingLog, silentLog, sqlDirectory } from '../support/sql-files.js';
import { type Test, t } from '../support/tap.js';

const queries = {
  'things.sql': `
-- name: add
-- $1 name
insert into /*p*/things (name) values ($1) returning id, name, made_at;

-- name: all
-- read
select id, name from /*p*/things order by id;

-- name: count
-- read
select count(*) as things from /*p*/things;

-- name: types
-- read
select $1::timestamptz as at, 9007199254740993::int8 as big, '{"a":[1]}'::jsonb as json, '\\x00ff'::bytea as bytes,
  array[$1::timestamptz] as times, array['a','b'] as words, current_setting('TimeZone') as zone;

-- name: sleep
-- read
-- $1 seconds
select pg_sleep($1);

-- name: settings
-- read
select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle;

-- name: forget
deallocate all;

-- name: broken
select * from /*p*/nowhere;
`,
};

async function open(
  t: Test,
  options: Partial<DatabaseOptions> = {},
): Promise<{ database: Database; test: TestDatabase }> {
  const test = await createTestDatabase(t, { isEmpty: true });
  const prefix = options.prefix ?? '';
  await test.admin.query(
    `create table ${prefix}things (id bigint generated always as identity primary key, name text, made_at timestamptz default now(),
      constraint ${prefix}things_name_key unique (name))`,
  );
  const database = openDatabase({
    url: test.url,
    maxConnections: 4,
    prefix,
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: sqlDirectory(t, queries),
    ...options,
  });
  t.teardown(() => database.close());
  return { database, test };
}

t.test('statements run by name, with and without prefix and prepared statements', async (t) => {
  for (const prefix of ['', 'auth_']) {
    for (const preparedStatements of [true, false]) {
      const { database, test } = await open(t, { prefix, preparedStatements });
      t.match(await database.run('things.add', ['one']), [{ id: 1, name: 'one' }]);
      t.same(await database.run('things.all', []), [{ id: 1, name: 'one' }]);
      t.same(await database.run('things.count', []), [{ things: 1 }]);
      const { rows } = await test.admin.query(`select count(*)::int as count from ${prefix}things`);
      t.same(rows, [{ count: 1 }]);
    }
  }
});

t.test('values keep their precision', async (t) => {
  const { database } = await open(t);
  const [row] = await database.run<Record<string, unknown>>('things.types', ['2026-11-21 11:39:36.123456+02']);
  t.equal(row?.['at'], '2026-11-21T09:39:36.123456Z');
  t.same(row?.['times'], ['2026-11-21T09:39:36.123456Z']);
  t.equal(row?.['big'], '9007199254740993', 'past 2^53 the digits come as a string');
  t.same(row?.['json'], { a: [1] });
  t.same(row?.['bytes'], Buffer.from([0, 255]));
  t.same(row?.['words'], ['a', 'b']);
  t.equal(row?.['zone'], 'UTC');
});

t.test('a wrong name or number of values is an error before the query is sent', async (t) => {
  const { database } = await open(t);
  await t.rejects(database.run('things.nothing', []), /No statement named things\.nothing/);
  await t.rejects(database.run('things.add', []), /takes 1 values, got 0/);
});

t.test('constraints are named without the prefix', async (t) => {
  const { database } = await open(t, { prefix: 'auth_' });
  await database.run('things.add', ['one']);
  const error = await database.run('things.add', ['one']).catch((error: unknown) => error);
  t.ok(isUniqueViolation(error, 'things_name_key'));
  t.ok(isUniqueViolation(error));
  t.notOk(isUniqueViolation(error, 'things_pkey'));
  t.notOk(isForeignKeyViolation(error));
  t.match(error, { table: 'things' });
});

t.test('a transaction is all or nothing', async (t) => {
  const { database } = await open(t);
  const kept = await database.transaction(async (inside) => {
    await inside.run('things.add', ['kept']);
    return 'done';
  });
  t.equal(kept, 'done');
  await t.rejects(
    database.transaction(async (inside) => {
      await inside.run('things.add', ['lost']);
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  t.match(await database.run('things.all', []), [{ name: 'kept' }]);
});

t.test('a transaction whose work swallows an error is not committed', async (t) => {
  const { database } = await open(t);
  await t.rejects(
    database.transaction(async (inside) => {
      await inside.run('things.add', ['lost']);
      await inside.run('things.broken', []).catch(() => undefined);
    }),
    /rolled back/,
  );
  t.same(await database.run('things.all', []), []);
});

t.test('time-outs reach the server', async (t) => {
  const { database } = await open(t, { statementTimeoutSeconds: 3 });
  t.same(await database.run('things.settings', []), [{ statement: '3s', lock: '3s', idle: '6s' }]);
});

t.test('a slow statement ends as unavailable, without SQL in the message', async (t) => {
  const { database } = await open(t, { statementTimeoutSeconds: 0.2 });
  const error = await database.run('things.sleep', [5]).catch((error: unknown) => error);
  t.match(error, { code: 'DATABASE_UNAVAILABLE', message: 'The database took too long to answer.' });
  t.match((error as Error).cause, { code: '57014' });
  t.same(await database.run('things.count', []), [{ things: 0 }]);
});

t.test('lost prepared statements are disabled, with one warning', async (t) => {
  const log = rememberingLog();
  const { database } = await open(t, { maxConnections: 1, log });
  await database.run('things.count', []);
  await database.run('things.forget', []);
  t.same(await database.run('things.count', []), [{ things: 0 }]);
  t.same(await database.run('things.count', []), [{ things: 0 }]);
  t.equal(log.warnings.length, 1);
  t.match(log.warnings[0], /AUTH_DB_PREPARED_STATEMENTS/);
});

t.test('REL-08: a column added by a newer release beside us does not break a prepared select', async (t) => {
  const test = await createTestDatabase(t, { isEmpty: true });
  await test.admin.query('create table things (id int)');
  const database = openDatabase({
    url: test.url,
    maxConnections: 1,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: sqlDirectory(t, { 'a.sql': '-- name: all\nselect * from /*p*/things;\n' }),
  });
  t.teardown(() => database.close());
  t.same(await database.run('a.all', []), []);
  await test.admin.query('alter table things add column more text');
  t.same(await database.run('a.all', []), []);
});

t.test('without a limit the pool reads max_connections and grows while callers wait', async (t) => {
  const { database, test } = await open(t, { maxConnections: 0, idleTimeoutSeconds: 0.2 });
  await database.run('things.count', []);
  t.equal(database.stats().limit, await countGrantedConnections(test.admin));
  const running = Array.from({ length: 24 }, () => database.run('things.sleep', [0.4]));
  await pause(300);
  t.ok(database.stats().open > 8, `${database.stats().open} open`);
  await Promise.all(running);
  await pause(600);
  t.equal(database.stats().open, 0, 'idle connections are closed');
});

t.test('isReady checks for a recent success first, then queries', async (t) => {
  const { database, test } = await open(t);
  t.equal(await database.isReady(), true);
  await test.admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  t.equal(await database.isReady(), true, 'still within the second');
  const closed = openDatabase({
    url: 'postgres://unknown@127.0.0.1:1/none',
    maxConnections: 1,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: sqlDirectory(t, queries),
  });
  t.equal(await closed.isReady(), false);
  const error = await closed.run('things.count', []).catch((error: unknown) => error);
  t.match(error, { code: 'DATABASE_UNAVAILABLE', message: 'The database cannot be reached right now.' });
  await closed.close();
  t.equal(await closed.isReady(), false);
  await t.rejects(closed.run('things.count', []), { code: 'DATABASE_UNAVAILABLE' });
});
