import { applyPrefix, loadStatements, parseStatements } from '../../src/db/statements.js';
import { t } from '../support/tap.js';

t.test('a file has named blocks', async (t) => {
  const statements = parseStatements(
    `-- What this file is about.

-- name: first_one
-- Says what it does.
-- $1 email
-- read
select *
from /*p*/users
where email = $1;

-- name: second
update /*p*/users set id = $2 where id = $1 and id = $2
`,
    'users',
    'auth_',
  );
  t.match(statements, [
    { key: 'users.first_one', text: 'select *\nfrom "auth_users"\nwhere email = $1', parameterCount: 1, isRead: true },
    { key: 'users.second', parameterCount: 2, isRead: false },
  ]);
});

t.test('server names are unique per prefix and text, and short enough', async (t) => {
  const name = (prefix: string, text: string, statement = 'a'): string =>
    parseStatements(`-- name: ${statement}\n${text}`, 'file', prefix)[0]?.name ?? '';
  t.equal(name('', 'select 1'), name('', 'select 1'));
  t.not(name('', 'select 1'), name('', 'select 2'));
  t.not(name('a_', 'select 1'), name('b_', 'select 1'));
  t.ok(Buffer.byteLength(name('a'.repeat(31), 'select 1', 'b'.repeat(80))) <= 63);
});

t.test('faults in a file are reported when it is read', async (t) => {
  t.throws(() => parseStatements('-- name: Bad Name\nselect 1', 'f', ''), /needs a lower-case name/);
  t.throws(() => parseStatements('-- name: empty\n-- only words\n', 'f', ''), /has no statement/);
  t.throws(() => parseStatements('-- name: gap\nselect $1, $3', 'f', ''), /skips a parameter below \$3/);
  const twice = t.testdir({ 'f.sql': '-- name: a\nselect 1;\n-- name: a\nselect 2;\n' });
  t.throws(() => loadStatements(twice, ''), /f\.a is there twice/);
  t.equal(loadStatements(t.testdir({ 'readme.txt': '-- name: a' }), '').size, 0);
});

t.test('only marked names get the prefix, also inside literals', async (t) => {
  t.equal(
    applyPrefix("select '/*p*/users'::regclass, users.id from /*p*/users as users", 'x_'),
    `select '"x_users"'::regclass, users.id from "x_users" as users`,
  );
  t.throws(() => applyPrefix(`select /*p*/${'n'.repeat(40)}`, `${'a'.repeat(31)}_`), /AUTH_DB_NAMESPACE is too long/);
});
