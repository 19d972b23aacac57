import { toNumber, toRfc3339 } from '../../src/db/connection.js';
import { openDatabase } from '../../src/db/pool.js';
import { createTestDatabase } from '../support/database.js';
import { startFaultyServer } from '../support/faulty-server.js';
import { rememberingLog, silentLog } from '../support/sql-files.js';
import { t } from '../support/tap.js';

const queries = {
  'a.sql': `
-- name: session
-- read
select current_setting('TimeZone') as zone, current_setting('DateStyle') as dates, current_setting('statement_timeout') as statement;

-- name: write
insert into notes values ('x');
`,
};

t.test('timestamps become RFC 3339 in UTC and keep their microseconds', async (t) => {
  t.equal(toRfc3339('2026-11-21 11:39:36.12+00'), '2026-11-21T11:39:36.12Z');
  t.equal(toRfc3339('2026-11-21 11:39:36+00'), '2026-11-21T11:39:36Z');
  t.equal(toRfc3339('2026-11-21 01:39:36.123456+02'), '2026-11-20T23:39:36.123456Z');
  t.equal(toRfc3339('2026-11-21 23:39:36.5-03:30'), '2026-11-22T03:09:36.5Z');
  t.equal(toRfc3339('1880-01-01 00:53:28+00:53:28'), '1880-01-01T00:00:00Z');
  t.equal(toRfc3339('infinity'), 'infinity');
});

t.test('bigints are numbers while that is exact', async (t) => {
  t.equal(toNumber('9007199254740991'), 9007199254740991);
  t.equal(toNumber('9007199254740993'), '9007199254740993');
  t.equal(toNumber('-5'), -5);
});

t.test('the session uses ISO and UTC for any database defaults', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const name = new URL(url).pathname.slice(1);
  await admin.query(`alter database ${name} set timezone = 'Asia/Tokyo'`);
  await admin.query(`alter database ${name} set datestyle = 'German'`);
  const database = openDatabase({
    url,
    maxConnections: 1,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory: t.testdir(queries),
  });
  t.teardown(() => database.close());
  t.same(await database.run('a.session', []), [{ zone: 'UTC', dates: 'ISO, MDY', statement: '3s' }]);
});

t.test('a pooler that rejects our time-outs is accepted, with one warning', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  await admin.query('create table notes (note text)');
  const faulty = await startFaultyServer(t, url);
  faulty.refuseStartup('statement_timeout');
  const log = rememberingLog();
  const database = openDatabase({
    url: faulty.url,
    maxConnections: 2,
    prefix: '',
    preparedStatements: false,
    statementTimeoutSeconds: 0.3,
    log,
    queriesDirectory: t.testdir(queries),
  });
  t.teardown(() => database.close());
  const both = await Promise.all([database.run('a.session', []), database.run('a.session', [])]);
  t.same(both.flat(), Array(2).fill({ zone: 'UTC', dates: 'ISO, MDY', statement: '0' }));
  t.equal(log.warnings.length, 1);
  t.match(log.warnings[0], /alter role/);

  faulty.goSilentAfter('insert into notes');
  await t.rejects(
    database.run('a.write', []),
    { code: 'DATABASE_UNAVAILABLE', message: 'The database took too long to answer.' },
    'our own timer ends the wait',
  );
  t.same((await admin.query('select count(*)::int as count from notes')).rows, [{ count: 1 }], 'nothing is repeated');
  t.equal((await database.run('a.session', [])).length, 1);
});
