/** What `npm run schema` runs: writes docs/schema.sql from a fresh, migrated database. */
import { writeFileSync } from 'node:fs';
import { startTestServer, withAdmin, withDatabase } from './postgres.js';
import { describeSchema, SCHEMA_FILE } from './schema-dump.js';
import { repository } from './source-tree.js';

const { adminUrl, template, stop } = await startTestServer();
try {
  const name = `${template}_dump`;
  await withAdmin(adminUrl, (admin) => admin.query(`create database ${name} template ${template}`));
  writeFileSync(repository + SCHEMA_FILE, await withAdmin(withDatabase(adminUrl, name), describeSchema));
} finally {
  await stop();
}
