import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawnReloadingServer } from '../support/reload.js';
import { call } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a server for the commands of a document; reloads: reload-folder');

const page = fileURLToPath(new URL('../../../docs/run/reloading.md', import.meta.url));

t.test('docs/run/reloading.md: the example of the configuration folder works', async (t) => {
  const example = /```sh\n(mkdir -p conf\.d[\s\S]*?)```/.exec(readFileSync(page, 'utf8'))![1]!;
  const [prepare, start, change] = example.trim().split('\n');
  t.match(start, /^latchkey serve -d conf\.d &$/);
  const server = await spawnReloadingServer(t, {
    settings: { RELOADING_GRACE_PERIOD_INTERVAL: '200ms' },
    files: {},
    prepare: (directory) => execFileSync('sh', ['-c', prepare!], { cwd: directory }),
    args: () => ['-d', 'conf.d'],
  });
  t.equal((await call(server.url, 'GET', '/settings')).body.disable_signup, false);
  execFileSync('sh', ['-c', change!], { cwd: server.directory });
  t.match(await server.waitFor('The configuration was reloaded'), { generation: 2, changed: ['AUTH_DISABLE_SIGNUP'] });
  t.equal((await call(server.url, 'GET', '/settings')).body.disable_signup, true);
  t.same(await server.stop(), { code: 0, signal: null });
});
