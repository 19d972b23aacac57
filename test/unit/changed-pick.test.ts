import { join } from 'node:path';
import { readTerms } from '../support/changed/closeness.js';
import { costOf, readFileCosts, writeFileCosts } from '../support/changed/file-costs.js';
import { ImportGraph } from '../support/changed/import-graph.js';
import { pickFrom } from '../support/changed/pick.js';
import { t } from '../support/tap.js';

const START = "import '../../src/server/start.js';\n";
const graph = new ImportGraph(
  Object.entries({
    'src/server/start.ts': ['refresh', 'invite', 'captcha'].map((name) => `import './${name}.js';`).join('\n'),
    'src/server/refresh.ts': "export const renewSession = () => apiError('refresh_token_not_found');",
    'src/server/invite.ts': "export const inviteUser = () => send('/invite');",
    'src/server/captcha.ts': 'export const checkCaptcha = () => true;',
    'test/conventions/names.test.ts': '',
    'test/http/token-refresh.test.ts': `${START}t.equal(body.error_code, 'refresh_token_not_found');`,
    'test/http/invite.test.ts': `${START}await server.post('/invite', {});`,
    'test/reliability/refresh-load.alone.test.ts': `${START}await renewSession();`,
    'test/unit/captcha.test.ts': "import { checkCaptcha } from '../../src/server/captcha.js';",
  }).map(([path, text]) => ({ path, text })),
);
const pick = (paths: readonly string[], { isAll = false, costs = {} } = {}) =>
  pickFrom(graph, { base: '0123456789 (main)', paths, lines: new Map() }, { isAll, costs });

t.test('of the tests of the whole server those are picked that name most of what changed', async (t) => {
  t.equal(pick(['src/server/refresh.ts']).files[0], 'test/http/token-refresh.test.ts');
  const { files, text } = pick(['src/server/refresh.ts'], { costs: { 'test/http/invite.test.ts': 39 } });
  t.same(files, ['test/http/token-refresh.test.ts', 'test/conventions/names.test.ts']);
  t.match(text, '1 file differs from 0123456789 (main):');
  t.match(text, 'src/server/refresh.ts: 0 test files import it, 3 more start the whole server');
  t.match(
    text,
    'Picked 2 of 5 test files: 0 that changed, 0 that import what changed, 1 of those that start the whole',
  );
  t.match(text, /Not run: 2 more that may reach it, .* All: npm test -- --changed --all/);
});

t.test('tests that import the change itself come first, and changed tests always', async (t) => {
  t.equal(pick(['src/server/captcha.ts']).files[0], 'test/unit/captcha.test.ts');
  const costs = { 'test/http/invite.test.ts': 1000 };
  t.same(pick(['src/server/invite.ts'], { costs }).files, ['test/conventions/names.test.ts'], 'no time is left for it');
  t.equal(pick(['test/http/invite.test.ts'], { costs }).files[0], 'test/http/invite.test.ts');
});

t.test('--all picks all that may reach the change', async (t) => {
  const { files, text } = pick(['src/server/refresh.ts'], { isAll: true });
  t.same([...files].sort(), [
    'test/conventions/names.test.ts',
    'test/http/invite.test.ts',
    'test/http/token-refresh.test.ts',
    'test/reliability/refresh-load.alone.test.ts',
  ]);
  t.notMatch(text, 'Not run');
});

t.test('what everything is built with is said to reach everything', async (t) => {
  const { files, text } = pick(['package.json']);
  t.same(files, ['test/conventions/names.test.ts']);
  t.match(text, 'package.json: everything is built and run with it');
  t.match(text, 'All test files may show what package.json changes: npm test');
  t.equal(pick(['package.json'], { isAll: true }).files.length, 5);
});

t.test('without a change the tests of conventions run', async (t) => {
  t.same(pick([]).files, ['test/conventions/names.test.ts']);
});

t.test('names are compared by their words, and whole in any spelling', async (t) => {
  t.same([...readTerms('knownCaller, known_caller')].sort(), [
    ['caller', 2],
    ['known', 2],
    ['knowncaller', 2],
  ]);
  t.same([...readTerms("'/admin/list-users'").keys()].sort(), ['admin', 'list', 'listusers', 'users']);
});

t.test('costs of earlier runs are kept, and guessed by folder without one', async (t) => {
  const path = join(t.testdir({}), 'folder/costs.json');
  t.same(readFileCosts(path), {});
  writeFileCosts(path, { 'test/unit/a.test.ts': 5, 'test/unit/b.test.ts': 6 });
  writeFileCosts(path, { 'test/unit/b.test.ts': 7 });
  const costs = readFileCosts(path);
  t.same(costs, { 'test/unit/a.test.ts': 5, 'test/unit/b.test.ts': 7 });
  t.equal(costOf('test/unit/b.test.ts', costs), 7);
  t.equal(costOf('test/unit/c.test.ts', costs), 1);
  t.ok(costOf('test/e2e/c.test.ts', costs) > costOf('test/http/c.test.ts', costs), 'a browser costs most');
});
