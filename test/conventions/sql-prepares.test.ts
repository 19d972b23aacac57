import { migrate } from '../../src/db/migrate.js';
import { loadStatements, QUERIES_DIRECTORY } from '../../src/db/statements.js';
import { createTestDatabase } from '../support/database.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('two databases with every statement; most of them run in other files');

for (const prefix of ['', 'house_', `${'n'.repeat(31)}_`]) {
  t.test(`every statement prepares on the migrated schema, prefix ${JSON.stringify(prefix)}`, async (t) => {
    const { url, admin } = await createTestDatabase(t, { isEmpty: true });
    await migrate({ url, prefix });
    const statements = loadStatements(QUERIES_DIRECTORY, prefix);
    t.ok(statements.size > 0);
    for (const { key, name, text, parameterCount } of statements.values()) {
      const prepared = admin.query(`prepare ${admin.escapeIdentifier(name)} as ${text}`);
      await t.resolves(prepared, key);
      const { rows } = await admin.query(
        'select cardinality(parameter_types) as count from pg_prepared_statements where name = $1',
        [name],
      );
      t.equal(rows[0]?.count, parameterCount, `${key}: parameters`);
    }
  });
}
