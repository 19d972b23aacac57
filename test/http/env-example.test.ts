/** What `latchkey config example` prints serves as it is, with a secret and a database. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/server/config/load.js';
import { startServer } from '../../src/server/runtime/server.js';
import { openLog } from '../../src/server/telemetry/log.js';
import { createTestDatabase } from '../support/database.js';
import { runCommand } from '../support/run-command.js';
import { call } from '../support/server.js';
import { t } from '../support/tap.js';

const { out: example } = await runCommand(['config', 'example'], {}, '/dev/null');

for (const [name, text] of [
  ['as it is', example],
  ['with all of its lines', example.replace(/^#(?=[A-Z0-9_]+=)/gm, '')],
] as const) {
  t.test(`the short file serves ${name}`, async (t) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const file = join(t.testdir({}), '.env');
    const filledIn = text
      .replace(/^AUTH_JWT_SECRET=$/m, `AUTH_JWT_SECRET=${'s3cret'.repeat(8)}`)
      .replace(/^DATABASE_URL=.*$/m, `DATABASE_URL='${databaseUrl}'`);
    writeFileSync(file, `${filledIn}PORT=0\n`);
    const { config, notices } = loadConfig({ environment: {}, file });
    t.same(
      notices.filter(({ variable }) => variable !== 'AUTH_SMTP_HOST'),
      [],
    );
    const server = await startServer(config, '0.0.0-test', await openLog({ level: 'panic', file: '' }));
    t.teardown(() => server.stop(0));
    await server.migrated;
    const url = `http://127.0.0.1:${server.port}`;
    t.equal((await call(url, 'GET', '/health/ready')).status, 200);
    t.match(await call(url, 'GET', '/settings'), {
      status: 200,
      body: { external: { email: true, github: config.providers.github.enabled } },
    });
  });
}
