import { ImportGraph } from '../support/changed/import-graph.js';
import { t } from '../support/tap.js';

const graphOf = (files: Readonly<Record<string, string>>): ImportGraph =>
  new ImportGraph(Object.entries(files).map(([path, text]) => ({ path, text })));

t.test('imports of all kinds are found, those of types alone are not', async (t) => {
  const graph = graphOf({
    'src/a.ts': [
      "import { type B, c } from './b.js';",
      "import type { D } from './d.js';",
      "import { type E, type F } from './e.js';",
      "import './g.js';",
      "export {\n  h,\n} from './h.js';",
      "const i = () => import('./i.js');",
      "import { z } from 'zlib';",
    ].join('\n'),
    ...Object.fromEntries(['b', 'd', 'e', 'g', 'h', 'i'].map((name) => [`src/${name}.ts`, ''])),
  });
  t.same([...graph.usesOf('src/a.ts')], ['src/b.ts', 'src/g.ts', 'src/h.ts', 'src/i.ts']);
});

t.test('so are threads, launchers and statements, and files that tests name', async (t) => {
  const graph = graphOf({
    'src/pool.ts': "new URL('./thread.worker.js', import.meta.url)",
    'src/thread.worker.ts': '',
    'test/support/start.ts': "new URL('../../../bin/start.cjs', import.meta.url)",
    'bin/start.cjs': "import('../dist/src/main.js')",
    'src/main.ts': '',
    'src/db/users.ts': "statement('known-users.known_user')",
    'sql/queries/known-users.sql': '-- name: known_user',
    'test/unit/x.test.ts': "readSource('src/main.ts')",
  });
  const uses = (path: string) => [...graph.usesOf(path)];
  t.same(uses('src/pool.ts'), ['src/thread.worker.ts']);
  t.same(uses('test/support/start.ts'), ['bin/start.cjs']);
  t.same(uses('bin/start.cjs'), ['src/main.ts'], 'of the compiled module the source');
  t.same(uses('src/db/users.ts'), ['sql/queries/known-users.sql']);
  t.same(uses('test/unit/x.test.ts'), ['src/main.ts']);
});

t.test('a folder that is read counts for what is in it, a folder of modules does not', async (t) => {
  const graph = graphOf({
    'src/db/migrate.ts': "new URL('../../../sql/migrations/', import.meta.url)",
    'sql/migrations/00001_first.sql': '',
    'src/server/pages/assets.ts': "new URL('../../web/', import.meta.url)",
    'src/web/form.css': '',
    'test/security/x.test.ts': "readTree(['src/db'], '.ts')",
  });
  const users = (path: string, isThroughServer = false) =>
    [...graph.distancesTo(path, isThroughServer).keys()].slice(1);
  t.same(users('sql/migrations/00001_first.sql'), ['src/db/migrate.ts']);
  t.same(users('src/db/migrate.ts', true), []);
  t.same(users('src/web/form.css'), [], 'what is sent to browsers says nothing of its sender');
  t.same(users('src/web/form.css', true), ['src/server/pages/assets.ts'], 'which may show the change all the same');
});

t.test('ways through what starts the whole server are longer than any', async (t) => {
  const graph = graphOf({
    'test/unit/part.test.ts': "import '../../src/server/part.js';",
    'test/http/whole.test.ts': "import '../../src/server/start.js';",
    'src/server/start.ts': "import './part.js';\nimport './other.js';",
    'src/server/other.ts': '',
    'src/server/part.ts': "import './deep.js';",
    'src/server/deep.ts': '',
    'src/server/last.ts': '',
    'src/server/more.ts': '',
    'src/server/rest.ts': '',
  });
  t.same([...graph.wholeServer], ['test/http/whole.test.ts', 'src/server/start.ts']);
  const direct = graph.distancesTo('src/server/deep.ts', false);
  t.equal(direct.get('test/unit/part.test.ts'), 2);
  t.equal(direct.has('test/http/whole.test.ts'), false);
  t.equal(graph.distancesTo('src/server/deep.ts', true).get('test/http/whole.test.ts'), 3);
});
