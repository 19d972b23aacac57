import { createTestDatabase } from '../support/database.js';
import { describeSchema, SCHEMA_FILE } from '../support/schema-dump.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test(`${SCHEMA_FILE} is the schema after all migrations`, async (t) => {
  const { admin } = await createTestDatabase(t);
  const message = 'after a change of the migrations run `npm run schema` and commit what it writes';
  t.equal(readSource(SCHEMA_FILE).text, await describeSchema(admin), message);
});
