import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, migrateWhenReachable, readMigrationState } from '../../src/db/migrate.js';
import { MigrationChangedError } from '../../src/db/migration-files.js';
import { shiftStatements } from '../../src/db/shift-handle.js';
import { createTestDatabase } from '../support/database.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { findSystemPostgres, startSystemPostgres } from '../support/system-postgres.js';
import { t } from '../support/tap.js';

const files = {
  '00001_things.sql': 'create table /*p*/things (id int);\ncreate index /*p*/things_idx on /*p*/things (id);\n',
  '00002_more-things.sql': 'insert into /*p*/things values (1);',
};

t.test('applies pending migrations in order, once', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const directory = t.testdir(files);
  const options = { url, prefix: '', directory };
  t.same(await readMigrationState(options), { version: 0, pending: Object.keys(files) });
  t.same(await migrate(options), { applied: Object.keys(files), version: 2, notices: [] });
  t.same(await migrate(options), { applied: [], version: 2, notices: [] });
  writeFileSync(join(directory, '00003_last.sql'), 'insert into /*p*/things values (2);');
  t.same(await migrate(options), { applied: ['00003_last.sql'], version: 3, notices: [] });
  t.same((await admin.query('select id from things order by id')).rows, [{ id: 1 }, { id: 2 }]);
  t.match((await admin.query('select * from migrations order by migration_id')).rows, [
    { migration_id: 1, name: 'things', file: '00001_things.sql', checksum: /^[0-9a-f]{64}$/ },
    { migration_id: 2, name: 'more things' },
    { migration_id: 3, name: 'last' },
  ]);
});

t.test('our own migrations, with prefixes side by side in one database', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  for (const prefix of ['', 'auth_', `${'n'.repeat(31)}_`]) {
    const first = await migrate({ url, prefix });
    t.ok(first.applied.length > 0);
    t.same((await migrate({ url, prefix })).applied, []);
    const { rows } = await admin.query(`select count(*)::int as count from ${prefix}migrations`);
    t.equal(rows[0].count, first.version);
  }
  await admin.query('drop table auth_users cascade');
  t.equal((await admin.query('select count(*)::int as count from users')).rows[0].count, 0, 'the other is untouched');
});

t.test('a failed migration rolls back its whole run', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const directory = t.testdir({ ...files, '00003_broken.sql': 'select * from nowhere;' });
  await t.rejects(migrate({ url, prefix: '', directory }), { code: '42P01' });
  t.same((await admin.query("select to_regclass('things') as things, to_regclass('migrations') as ledger")).rows, [
    { things: null, ledger: null },
  ]);
});

t.test('a newer release may have migrated before', async (t) => {
  const { url } = await createTestDatabase(t, { isEmpty: true });
  await migrate({ url, prefix: '', directory: t.testdir(files) });
  const older = t.testdir({ '00001_things.sql': files['00001_things.sql'] });
  t.same(await migrate({ url, prefix: '', directory: older }), { applied: [], version: 2, notices: [] });
});

t.test('invalid migrations are refused early', async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const gap = t.testdir({ '00001_a.sql': 'select 1', '00003_c.sql': 'select 1' });
  await t.rejects(migrate({ url, prefix: 'a_', directory: gap }), /Inconsistency in migration numbering/);
  await t.rejects(migrate({ url, prefix: 'a_', directory: t.testdir({}) }), /no migrations/);
  const late = t.testdir({ '00001_a.sql': 'select 1', '00002_b.sql': 'select 1' });
  await migrate({ url, prefix: 'a_', directory: late });
  await admin.query('delete from a_migrations where migration_id = 1');
  await t.rejects(migrate({ url, prefix: 'a_', directory: late }), /00001_a\.sql came after 2/);
  await admin.query('create table migrations (id int, version text)');
  await t.rejects(migrate({ url, prefix: '', directory: late }), /not Latchkey's\. Set AUTH_DB_NAMESPACE/);
});

t.test('an unreachable database is retried with growing pauses up to the time limit', async (t) => {
  const options = { url: 'postgres://127.0.0.1:1/none', prefix: '', directory: t.testdir(files) };
  const pauses: number[] = [];
  const retry = { onFailure: (_: Error, seconds: number) => void pauses.push(seconds), maxPauseSeconds: 0.2 };
  await t.rejects(migrateWhenReachable(options, { ...retry, giveUpAfterSeconds: 3 }), {
    code: 'DATABASE_UNAVAILABLE',
  });
  t.same(pauses.slice(0, 3), [0.1, 0.2, 0.2]);
  const stop = AbortSignal.timeout(150);
  await t.rejects(migrateWhenReachable(options, { ...retry, signal: stop }), { name: 'AbortError' });
  const missing = { ...options, directory: t.testdir({}) };
  await t.rejects(migrateWhenReachable(missing, retry), /no migrations/, 'other errors are not repeated');
});

t.test("postgres-shift's statements are the four that the handle supports", async (t) => {
  const source = readFileSync(fileURLToPath(import.meta.resolve('postgres-shift')), 'utf8');
  const templates = [...source.matchAll(/sql`([^`]*)`/g)].map((match) => {
    let parameters = 0;
    return (match[1] ?? '')
      .replace(/\$\{[^}]*\}/g, () => `$${++parameters}`)
      .trim()
      .replace(/\s+/g, ' ');
  });
  t.same(templates.sort(), Object.values(shiftStatements).sort());
  t.equal(source.match(/sql\.\w+/g)?.filter((use) => !['sql.file', 'sql.begin'].includes(use)).length, 0);
});

// Postgres 13 is the oldest supported; the machine's own version is tested beside the embedded 18.
const system = findSystemPostgres();
t.test(`the schema applies to the system's Postgres, ${system?.version}`, async (t) => {
  if (system === undefined) return skipHere(t, missingProgram('Postgres', 'postgresql'));
  const url = await startSystemPostgres(t, system);
  t.ok((await migrate({ url, prefix: 'auth_' })).applied.length > 0);
});

t.test('REL-07: a changed migration names itself', async (t) => {
  t.match(new MigrationChangedError('00001_x.sql').message, /00001_x\.sql was changed after it had been applied/);
});
