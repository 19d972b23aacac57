import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/db/migrate.js';
import { ownMigrationsDirectory, readMigrationFiles } from '../../src/db/migration-files.js';
import { createTestDatabase } from '../support/database.js';
import { pickForm, sameInFull } from '../support/long-form.js';
import { t } from '../support/tap.js';

const entry = fileURLToPath(new URL('../support/migrate-in-process.js', import.meta.url));

const RUNS = pickForm({ short: 4, full: 10 });

t.test(`REL-07: five processes on an empty database, ${RUNS} runs, each migration recorded once`, async (t) => {
  const expected = readMigrationFiles(ownMigrationsDirectory).length;
  const processes = Array.from({ length: 5 }, () => fork(entry, { execArgv: [] }));
  t.teardown(() => processes.map((child) => child.kill()));
  await Promise.all(processes.map((child) => once(child, 'message')));
  for (let run = 1; run <= RUNS; run += 1) {
    const { url, admin } = await createTestDatabase(t, { isEmpty: true });
    const answers = processes.map((child) => once(child, 'message'));
    for (const child of processes) child.send(url);
    const applied = (await Promise.all(answers)).map(([answer]) => answer);
    t.same(applied.sort(), [0, 0, 0, 0, expected]);
    const { rows } = await admin.query('select count(*)::int as rows from auth_migrations');
    t.equal(rows[0].rows, expected);
  }
});

t.test('REL-07: a file that changed after it was applied is an error that names it', sameInFull, async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  const directory = t.testdir({
    '00001_a.sql': 'create table a (id int);\n',
    '00002_b.sql': 'create table b (id int);\n',
  });
  await migrate({ url, prefix: '', directory });
  appendFileSync(join(directory, '00001_a.sql'), '-- a word more\n');
  writeFileSync(join(directory, '00003_c.sql'), 'create table c (id int);\n');
  await t.rejects(migrate({ url, prefix: '', directory }), { name: 'MigrationChangedError', file: '00001_a.sql' });
  t.same((await admin.query("select to_regclass('c') as c")).rows, [{ c: null }], 'and nothing else is applied');
});

t.test('REL-07: line endings do not change a file', sameInFull, async (t) => {
  const { url } = await createTestDatabase(t, { isEmpty: true });
  const directory = t.testdir({ '00001_a.sql': 'create table a (\n  id int\n);\n' });
  await migrate({ url, prefix: '', directory });
  const file = join(directory, '00001_a.sql');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
  t.same((await migrate({ url, prefix: '', directory })).applied, []);
});

t.test('REL-07: a long wait for the lock ends with the reason', sameInFull, async (t) => {
  const { url, admin } = await createTestDatabase(t, { isEmpty: true });
  await admin.query('begin');
  await admin.query("select pg_advisory_xact_lock(hashtextextended('migrations', 0))");
  const directory = t.testdir({ '00001_a.sql': 'select 1' });
  await t.rejects(migrate({ url, prefix: '', directory, lockTimeoutSeconds: 1 }), /Another process is still migrating/);
  t.same((await migrate({ url, prefix: 'other_', directory })).applied, ['00001_a.sql'], 'another lock');
  await admin.query('rollback');
});
