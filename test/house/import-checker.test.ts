/** The import rule is worth what it catches: each way around it, written down and caught. */
import t from 'tap';
import { findForbiddenImports, type ImportTable } from '../support/check-imports.js';
import { findSideEffects } from '../support/check-start.js';

const table: ImportTable = {
  rooms: [
    { name: 'rules', at: 'src/rules/', imports: ['src/store/'], types: ['src/wire/types.ts'] },
    { name: 'one rule', at: 'src/rules/special.ts', imports: ['src/wire/', 'src/rules/'], types: [] },
    { name: 'store', at: 'src/store/', imports: [], types: [] },
    { name: 'wire', at: 'src/wire/', imports: [], types: [] },
    { name: 'top', at: 'src/*', imports: ['src/'], types: [] },
  ],
  owners: { pg: ['src/store/pool.ts'], '@scope/fast': ['src/store/'], 'node:vm': [] },
  entries: ['src/main.ts'],
};

const tree: Readonly<Record<string, string>> = {
  'src/main.ts': '',
  'src/rules/sign-in.ts': '',
  'src/rules/special.ts': '',
  'src/store/pool.ts': '',
  'src/store/rows.ts': '',
  'src/wire/types.ts': '',
  'src/wire/reply.ts': '',
};

/** The faults of the small tree above with one file replaced. */
function check(path: string, text: string): string[] {
  const files = Object.entries({ ...tree, [path]: text }).map(([path, text]) => ({ path, text }));
  return findForbiddenImports(files, table);
}

t.test('what the table permits', async (t) => {
  t.same(check('src/rules/sign-in.ts', "import { find } from '../store/rows.js';"), []);
  t.same(check('src/rules/sign-in.ts', "import { other } from './special.js';"), [
    'src/rules/sign-in.ts:1: rules may not import src/rules/special.ts',
  ]);
  t.same(check('src/rules/sign-in.ts', "import type { Reply } from '../wire/types.js';"), []);
  t.same(check('src/rules/sign-in.ts', "import { type Reply, type Request } from '../wire/types.js';"), []);
  t.same(check('src/rules/sign-in.ts', "export type { Reply } from '../wire/types.js';"), []);
  t.same(check('src/rules/sign-in.ts', "type A = import('../wire/types.js').Reply;"), []);
  t.same(check('src/rules/special.ts', "import { reply } from '../wire/reply.js';"), []);
  t.same(check('src/store/pool.ts', "import pg from 'pg'; import { join } from 'node:path';"), []);
  t.same(check('src/main.ts', "import './rules/sign-in.js';"), []);
  t.same(check('src/rules/sign-in.ts', "import { resolve } from 'node:path'; resolve('pg');"), []);
});

t.test('a room that may not be imported, in every way of importing', async (t) => {
  const fault = ['src/rules/sign-in.ts:1: rules may not import src/wire/reply.ts'];
  for (const text of [
    "import { reply } from '../wire/reply.js';",
    "import reply from '../wire/reply.js';",
    "import * as reply from '../wire/reply.js';",
    "import '../wire/reply.js';",
    "import { type A, reply } from '../wire/reply.js';",
    "export { reply } from '../wire/reply.js';",
    "export * from '../wire/reply.js';",
    "const load = () => import('../wire/reply.js');",
    'const load = () => import(`../wire/reply.js`);',
    "const NAME = '../wire/reply.js'; const load = () => import(NAME);",
    "const reply = require('../wire/reply.js');",
    "import reply = require('../wire/reply.js');",
    "createRequire(import.meta.url)('../wire/reply.js');",
    "const load = createRequire(import.meta.url); load('../wire/reply.js');",
    "import.meta.resolve('../wire/reply.js');",
  ]) {
    t.same(check('src/rules/sign-in.ts', text), fault, text);
  }
});

t.test('a name computed at run time: any file beside this one, so all of them must be permitted', async (t) => {
  const load = (path: string, head = './', tail = '.js') =>
    check(path, `const load = (name: string) => import(\`${head}\${name}${tail}\`);`);
  t.same(load('src/store/rows.ts'), []);
  t.same(load('src/rules/special.ts'), []);
  t.same(load('src/rules/sign-in.ts'), ['src/rules/sign-in.ts:1: rules may not import src/rules/special.ts']);
  const fault = ['src/store/rows.ts:1 loads a module whose name is computed'];
  t.same(load('src/store/rows.ts', '../wire/'), fault);
  t.same(load('src/store/rows.ts', ''), fault);
  t.same(load('src/store/rows.ts', './', ''), fault);
  t.same(load('src/store/rows.ts', './', '/reply.js'), fault);
});

t.test('types are free only where the table says so', async (t) => {
  t.same(check('src/rules/sign-in.ts', "import type { Reply } from '../wire/reply.js';"), [
    'src/rules/sign-in.ts:1: rules may not import types of src/wire/reply.ts',
  ]);
  t.same(check('src/rules/sign-in.ts', "import { json } from '../wire/types.js';"), [
    'src/rules/sign-in.ts:1: rules may not import src/wire/types.ts',
  ]);
  t.same(check('src/store/rows.ts', "import type { Rule } from '../rules/sign-in.js';"), [
    'src/store/rows.ts:1: store may not import types of src/rules/sign-in.ts',
  ]);
});

t.test('packages have owners', async (t) => {
  t.same(check('src/rules/sign-in.ts', "import pg from 'pg';"), [
    'src/rules/sign-in.ts:1 imports pg, which belongs to src/store/pool.ts',
  ]);
  t.same(check('src/store/rows.ts', "import type { Client } from 'pg';"), [
    'src/store/rows.ts:1 imports pg, which belongs to src/store/pool.ts',
  ]);
  t.same(check('src/main.ts', "\nimport types from 'pg/lib/types.js';"), [
    'src/main.ts:2 imports pg, which belongs to src/store/pool.ts',
  ]);
  t.same(check('src/main.ts', "import { hash } from '@scope/fast/deep';"), [
    'src/main.ts:1 imports @scope/fast, which belongs to src/store/',
  ]);
  t.same(check('src/main.ts', "import lodash from 'lodash';"), [
    'src/main.ts:1 imports lodash, which has no owner in the import table',
  ]);
  t.same(check('src/main.ts', "import vm from 'node:vm';"), ['src/main.ts:1 imports node:vm, which belongs to nobody']);
});

t.test('what cannot be followed', async (t) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a source to be parsed.
  t.same(check('src/main.ts', 'const load = (name: string) => import(`@scope/${name}`);'), [
    'src/main.ts:1 imports @scope/*, which has no owner in the import table',
  ]);
  t.same(check('src/main.ts', 'const load = (name: string) => import(name);'), [
    'src/main.ts:1 loads a module whose name is computed',
  ]);
  t.same(check('src/main.ts', "import { a } from './nowhere.js';"), [
    'src/main.ts:1 imports src/nowhere.ts, which does not exist',
  ]);
  t.same(check('src/main.ts', "import { a } from '../test/a.js';"), [
    'src/main.ts:1 imports test/a.ts, which is outside src',
  ]);
  t.same(check('src/attic/old.ts', ''), ['src/attic/old.ts is in no room of the import table']);
  t.same(check('src/rules/sign-in.ts', "import '../main.js';"), [
    'src/rules/sign-in.ts:1 imports src/main.ts, which starts something',
  ]);
});

t.test('circles', async (t) => {
  t.same(check('src/store/rows.ts', "import { a } from './rows.js';"), [
    'src/store/rows.ts → src/store/rows.ts is a circle',
  ]);
  const circle = {
    ...tree,
    'src/store/rows.ts': "import { a } from './pool.js';",
    'src/store/pool.ts': "import { b } from './rows.js';",
  };
  const files = Object.entries(circle).map(([path, text]) => ({ path, text }));
  t.same(findForbiddenImports(files, table), ['src/store/pool.ts → src/store/rows.ts → src/store/pool.ts is a circle']);
  const half = { ...circle, 'src/store/pool.ts': "import type { B } from './rows.js';" };
  t.same(
    findForbiddenImports(
      Object.entries(half).map(([path, text]) => ({ path, text })),
      table,
    ),
    [],
    'types turn no circle',
  );
});

t.test('side effects', async (t) => {
  const one = (text: string, may = {}) => findSideEffects('src/a.ts', text, may);
  t.same(one("import x from 'y';\nexport const z = new Map();\nexport function f() { g(); }"), []);
  t.same(one('start();'), ['src/a.ts:1 does something when it is imported']);
  t.same(one('start();', { start: true }), []);
  t.same(one('if (a) b();'), ['src/a.ts:1 does something when it is imported']);
  t.same(one('export const a = await b();'), ['src/a.ts:1 waits when it is imported']);
  t.same(one('export const a = async () => await b();'), []);
  const reading = ['src/a.ts:1 reads the environment'];
  t.same(one('const f = () => process.env;'), reading);
  t.same(one("const f = () => process.env['HOME'];"), reading);

  t.same(one('const f = () => job.process;'), []);
  t.same(one('const f = () => globalThis.process.env;'), ['src/a.ts:1 goes around the names of globals']);
  t.same(one('const f = () => process.env;', { readEnvironment: true }), []);
  const whole = ['src/a.ts:1 hands the whole of process around, environment included'];
  t.same(one('const f = () => { const { env } = process; };'), whole);
  t.same(one("const f = () => process['env'];"), whole);
  t.same(one('const f = () => g(process);'), whole);
  t.same(one('const f = () => process.exit(1);'), []);
});
