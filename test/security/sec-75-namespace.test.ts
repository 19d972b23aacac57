import { openDatabase } from '../../src/db/pool.js';
import { applyPrefix, prefixOf } from '../../src/db/statements.js';
import { createTestDatabase } from '../support/database.js';
import { silentLog } from '../support/sql-files.js';
import { t } from '../support/tap.js';

t.test('SEC-75: a namespace is a plain lower-case name or nothing', async (t) => {
  t.equal(prefixOf(''), '');
  t.equal(prefixOf('auth'), 'auth_');
  t.equal(prefixOf(`_${'a'.repeat(30)}`), `_${'a'.repeat(30)}_`);
  const hostile = [
    'Auth',
    '1auth',
    'a-b',
    'a.b',
    'a b',
    'a"b',
    "a'; drop table users; --",
    'a\n',
    'ä',
    'a\0',
    '*/users/*',
    'a'.repeat(32),
    ' ',
  ];
  for (const namespace of hostile)
    t.throws(() => prefixOf(namespace), /AUTH_DB_NAMESPACE must be/, JSON.stringify(namespace));
});

t.test('SEC-75: no unchecked prefix reaches a statement, and what does is quoted', async (t) => {
  t.equal(applyPrefix('select from /*p*/users', 'auth_'), 'select from "auth_users"');
  t.throws(() => applyPrefix('select from /*p*/users', 'a"; drop table users; --_'));
  const queriesDirectory = t.testdir({ 'a.sql': '-- name: a\nselect from /*p*/users' });
  const options = { url: 'postgres://h/d', maxConnections: 1, preparedStatements: true, log: silentLog };
  t.throws(() => openDatabase({ ...options, prefix: 'a" ', queriesDirectory }));
});

t.test('SEC-75: values never become SQL', async (t) => {
  const { url } = await createTestDatabase(t, { isEmpty: true });
  // The only query function takes values beside the text; the text comes from files read at start.
  const queriesDirectory = t.testdir({ 'a.sql': '-- name: a\nselect $1::text as value' });
  const database = openDatabase({
    url,
    maxConnections: 1,
    prefix: '',
    preparedStatements: true,
    log: silentLog,
    queriesDirectory,
  });
  t.teardown(() => database.close());
  const hostile = `'; drop table users; -- " $1 \\ /*p*/`;
  t.same(await database.run('a.a', [hostile]), [{ value: hostile }]);
});
