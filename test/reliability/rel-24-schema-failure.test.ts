import { createTestDatabase } from '../support/database.js';
import { runBinary } from '../support/process.js';
import { pickFirst } from '../support/rows.js';
import { testEnvironment } from '../support/server.js';
import { t } from '../support/tap.js';

for (const command of pickFirst(['serve', 'dev'])) {
  t.test(`REL-24: ${command} exits with 1 and the reason when the schema cannot be migrated`, async (t) => {
    const { url, admin } = await createTestDatabase(t, { isEmpty: true });
    await admin.query('create table migrations (id integer)');
    const args = command === 'dev' ? ['dev', `--data=${t.testdir({})}`] : [command];
    const { code, signal, stdout, stderr } = await runBinary(t, args, testEnvironment(url));
    t.same({ code, signal, stdout }, { code: 1, signal: null, stdout: '' }, stderr);
    t.equal(stderr.match(/The schema could not be brought up to date/g)?.length, 1, 'once');
    t.match(stderr, /Set AUTH_DB_NAMESPACE to a name of its own/, 'with the cure');
  });
}
