/** Which rows of an import are refused, and what ends it. */
import type { SqlError } from '../../src/db/errors.js';
import { storeOrDivide } from '../../src/server/importing/stage.js';
import { t } from '../support/tap.js';

const sqlError = (code: string): SqlError =>
  Object.assign(new Error('a statement failed'), { code, severity: 'ERROR' }) as unknown as SqlError;

/** A table that takes every row but one, and whole batches only without that. */
function refusing(row: string, code: string) {
  const statements: (readonly string[])[] = [];
  const store = async (items: readonly string[]) => {
    statements.push(items);
    if (items.includes(row)) throw sqlError(code);
    return items.map(() => 'imported' as const);
  };
  return { statements, store };
}

t.test('a batch with a row that the database does not take is stored row by row', async (t) => {
  for (const code of ['22021', '23514', '54000']) {
    const table = refusing('b', code);
    const reason = `the database does not take it (${code})`;
    t.same(await storeOrDivide(table, ['a', 'b', 'c']), ['imported', { reason }, 'imported']);
    t.same(table.statements, [['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  }
});

t.test('a database that is full, away or of another release ends the import, and is no fault of a row', async (t) => {
  // A full disk, no memory, no connection left, a shutdown, an end by an administrator, a deadlock, a missing table.
  for (const code of ['53100', '53200', '53300', '57P01', '57014', '08006', '40P01', '42P01']) {
    const table = refusing('b', code);
    await t.rejects(storeOrDivide(table, ['a', 'b']), { code });
    t.same(table.statements, [['a', 'b']], code);
  }
});
