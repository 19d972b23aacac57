import { distributeTables } from '../../src/db/citus/distribute.js';
import { readClusterLayout } from '../../src/db/citus/layout.js';
import { createTestDatabase } from '../support/database.js';
import { runBinary } from '../support/process.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

t.test('a database without Citus is not distributed, and stays as it is', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  await t.rejects(distributeTables({ url, prefix: '', onStep: () => t.fail('nothing is done') }), {
    name: 'CannotDistributeError',
    message: 'This database has no extension citus. Install Citus on all nodes, then: create extension citus',
  });
  t.equal(await readClusterLayout(url, ''), undefined);
  const { rows } = await admin.query("select to_regclass('node_users') as copy, to_regclass('late_sign_ins') as late");
  t.strictSame(rows, [{ copy: null, late: null }]);

  const environment = testEnvironment(url, { DB_CITUS: 'true' });
  const migrated = await runBinary(t, ['migrate', '--distribute'], environment);
  t.equal(migrated.code, 1);
  t.match(migrated.stderr, 'create extension citus');
  const checked = await runBinary(t, ['check', 'db'], environment);
  t.equal(checked.code, 1);
  t.match(
    checked.stdout,
    'AUTH_DB_CITUS is on, but this database is not distributed. Run latchkey migrate --distribute first.',
  );
});
