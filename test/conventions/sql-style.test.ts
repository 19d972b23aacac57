import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { migrate } from '../../src/db/migrate.js';
import { createTestDatabase } from '../support/database.js';
import { t } from '../support/tap.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every file below a directory with that ending, by its path from the root of the repository. */
function listFiles(directory: string, ending: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(directory, file));
}

const sqlFiles = listFiles('sql', '.sql').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '');
const withoutLiterals = (sql: string): string => sql.replace(/'(?:[^']|'')*'/g, "''");

t.test('SQL is written in lower case', async (t) => {
  for (const { file, text } of sqlFiles) {
    t.same(withoutLiterals(withoutComments(text)).match(/\b[A-Z][A-Z_]+\b/g) ?? [], [], file);
  }
});

t.test('every table name has the marker that the namespace replaces', async (t) => {
  const { admin } = await createTestDatabase(t);
  const { rows } = await admin.query<{ name: string }>(
    "select table_name::text as name from information_schema.tables where table_schema = 'public'",
  );
  const tables = rows.map(({ name }) => name);
  t.ok(tables.includes('users'));
  // A column of a result may be called like a table: `… as identities`.
  const bare = new RegExp(`(?<!/\\*[ap]\\*/|\\bas |\\w)(${tables.join('|')})\\b`, 'g');
  for (const { file, text } of sqlFiles) {
    // What applications build on has tables of the same names, marked /*a*/, and literals name those of supabase/auth.
    const isForApplications = file.includes('app-schema');
    t.notOk(!isForApplications && text.includes('/*a*/'), file);
    const sql = withoutComments(text);
    t.same((isForApplications ? withoutLiterals(sql) : sql).match(bare) ?? [], [], file);
  }
});

/** Names that migrations and the scripts of a cluster create, without those of tables, which the test above knows. */
const madeNames = [
  ...new Set(
    sqlFiles.flatMap(({ text }) =>
      [...withoutComments(text).matchAll(/\bcreate\s+(?:or\s+replace\s+)?(?:function|trigger)\s+\/\*p\*\/(\w+)/g)].map(
        ([, name]) => name!,
      ),
    ),
  ),
];

/** Functions that name themselves without the marker, in migrations that a later one mends. */
const mended: Readonly<Record<string, readonly string[]>> = {
  'sql/migrations/00012_events.sql': ['record_event'],
  'sql/migrations/00073_scim_people.sql': ['settle_scim_ban'],
  'sql/migrations/00078_names_with_namespace.sql': ['record_event', 'settle_scim_ban'],
};

t.test('every name of a function or trigger has the marker, in literals and before a parameter as well', async (t) => {
  t.ok(madeNames.includes('settle_scim_ban') && madeNames.includes('users_record_events'));
  const bare = new RegExp(`(?<!/\\*[ap]\\*/|\\bas |\\w)(?:${madeNames.join('|')})\\b`, 'g');
  t.same('where s.id = settle_scim_ban.id'.match(bare), ['settle_scim_ban'], 'the search finds them');
  for (const { file, text } of sqlFiles) {
    t.same([...new Set(withoutComments(text).match(bare))], mended[file] ?? [], file);
  }
});

t.test('no function of a database with a namespace has a name without it', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  await migrate({ url, prefix: 'house_' });
  const { rows } = await admin.query<{ name: string; text: string }>(
    "select proname::text as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace order by 1",
  );
  const relations = await admin.query<{ name: string }>(
    `select c.relname::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
     union select t.tgname from pg_trigger t where not t.tgisinternal`,
  );
  const prefixed = [...rows, ...relations.rows].map(({ name }) => name).filter((name) => name.startsWith('house_'));
  t.ok(prefixed.includes('house_users') && prefixed.includes('house_settle_scim_ban'));
  const names = prefixed.map((name) => name.slice('house_'.length)).join('|');
  const bare = new RegExp(`(?<!\\bas |\\w)(?:${names})\\b`, 'g');
  for (const { name, text } of rows) t.same(withoutComments(text).match(bare) ?? [], [], name);
});

t.test('marked names are short enough for the longest namespace', async (t) => {
  for (const { file, text } of sqlFiles) {
    const long = [...text.matchAll(/\/\*p\*\/(\w+)/g)].map(([, name]) => name ?? '').filter((name) => name.length > 31);
    t.same(long, [], file);
  }
});

t.test('every name that a migration creates has the marker', async (t) => {
  for (const { file, text } of sqlFiles.filter(({ file }) => file.includes('migrations'))) {
    const made = withoutComments(text).matchAll(
      /\b(?:create\s+(?:unlogged\s+)?(?:unique\s+)?(?:table|index|type|function|trigger|view|sequence)|constraint)\s+(?:if not exists\s+)?(\S+)/g,
    );
    for (const [, name] of made) t.ok(name?.startsWith('/*p*/'), `${file}: ${name}`);
  }
});

t.test('every statement describes its parameters', async (t) => {
  for (const { file, text } of sqlFiles.filter(({ file }) => file.includes('queries'))) {
    for (const block of text.split(/^-- name:/m).slice(1)) {
      const used = new Set(withoutComments(block).match(/\$\d+/g) ?? []);
      const told = new Set([...block.matchAll(/^-- (\$\d+) \S/gm)].map(([, number]) => number));
      t.same([...told].sort(), [...used].sort(), `${file}:${block.split('\n')[0]}`);
    }
  }
});

const SQL_IN_TEXT = /\b(select\s[^;]*\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|create\s+table\s)/i;

/** The string literals and templates of a TypeScript file that look like SQL. */
function findSql(file: string): { text: string; isGlued: boolean }[] {
  const whole = readFileSync(join(root, file), 'utf8');
  // Parsing takes a hundred times longer than this.
  if (!SQL_IN_TEXT.test(whole)) return [];
  const source = ts.createSourceFile(file, whole, ts.ScriptTarget.Latest, true);
  const found: { text: string; isGlued: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    const isGlued = ts.isTemplateExpression(node);
    if (isGlued || ts.isStringLiteralLike(node)) {
      const text = node.getText(source);
      if (SQL_IN_TEXT.test(text)) found.push({ text, isGlued });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

t.test('SEC-75: no SQL in TypeScript outside src/db, and none concatenated inside', async (t) => {
  t.equal(findSql('src/db/shift-handle.ts').length > 0, true, 'the search finds SQL');
  for (const file of listFiles('src', '.ts')) {
    const sql = findSql(file);
    if (file.startsWith(join('src', 'db')))
      t.same(
        sql.filter(({ isGlued }) => isGlued),
        [],
        file,
      );
    else t.same(sql, [], file);
  }
});
