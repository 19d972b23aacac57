import { ownMigrationsDirectory, readMigrationFiles } from '../../src/db/migration-files.js';
import { t } from '../support/tap.js';

t.test('no two migrations have the same number', async (t) => {
  const ids = readMigrationFiles(ownMigrationsDirectory).map(({ id }) => id);
  t.ok(ids.length > 1);
  t.same(
    ids.filter((id, position) => ids.indexOf(id) !== position),
    [],
  );
});
