/** What `npm pack` makes works where it is installed. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '../support/database.js';
import { checkMainFlows } from '../support/main-flows.js';
import { installOffline, packPackage } from '../support/package.js';
import { runBinary } from '../support/process.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('npm pack and npm install; the commands themselves: cli-commands, dev-start');

t.test('npm pack, installed into an empty folder: npx latchkey check and serve', async (t) => {
  const folder = t.testdir();
  await installOffline(await packPackage(folder), folder);
  const installed = join(folder, 'node_modules/latchkey');
  t.same(readdirSync(installed).sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'compose.yaml',
    'deploy',
    'dist',
    'package.json',
    'sql',
  ]);

  const assets = readdirSync(join(installed, 'dist/src/web'));
  for (const name of [/^hosted-\w+\.css\.br$/, /^hosted-\w+\.js$/, /^manifest\.json$/, /^texts$/]) {
    t.ok(
      assets.some((asset) => name.test(asset)),
      `the pages have ${name}`,
    );
  }
  t.ok(readdirSync(join(installed, 'dist/src/web/console')).includes('manifest.json'), 'the console is there');

  const launch = { command: ['npx', '--offline', 'latchkey'], cwd: folder } as const;
  const environment = { HOME: folder };
  const { url } = await createTestDatabase(t);
  const settings = { ...testEnvironment(url), ...environment };
  for (const what of ['config', 'db']) {
    t.match(await runBinary(t, ['check', what], settings, launch), { code: 0 }, `check ${what}`);
  }
  await checkMainFlows(t, launch, '@node-rs/argon2', environment);
});
