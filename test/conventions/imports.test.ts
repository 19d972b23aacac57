/** What an import may do besides: nothing. Which file may import which: import-rules. */
import { findSideEffects } from '../support/check-start.js';
import { readSource, readTree } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a rule for sources, which --changed and test:full check');

const config = readSource('.dependency-cruiser.mjs').text;
const entries = new Set([...config.split('const entries')[1]!.matchAll(/'([\w./-]+\.ts)'/g)].map(([, path]) => path!));
const environmentReader = 'src/server/config/environment.ts';
/** Their modules depend on provider, platform or package. */
const computedLoaders = [
  'src/dev/postgres-binaries.ts',
  'src/server/http/engine.ts',
  'src/server/providers/index.ts',
  // Types of its libraries would bring those of browsers.
  'src/workers/saml/xml.ts',
  'src/workers/tasks/argon2-engine.ts',
];

/** Takes fetch away from the thread of a library that would fetch what clients name. */
const globalReplacers = ['src/workers/tasks/webauthn.ts'];

t.test('importing a module starts nothing, and one file reads the environment', async (t) => {
  // Those of src/web are no modules: browsers run them.
  const files = readTree(['src'], '.ts').filter(({ path }) => !path.startsWith('src/web/'));
  t.ok(files.length > 50, 'the sources were found');
  for (const { path, text } of files) {
    const exemptions = {
      readsEnvironment: path === environmentReader,
      starts: entries.has(path.slice('src/'.length)),
      loadsComputed: computedLoaders.includes(path),
      replacesGlobals: globalReplacers.includes(path),
    };
    t.same(findSideEffects(path, text, exemptions), [], path);
  }
});

t.test('every package that is installed for production has an owner', async (t) => {
  const { dependencies, optionalDependencies } = JSON.parse(readSource('package.json').text);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    t.match(config, new RegExp(`^  '?${name.replaceAll('.', '\\.')}'?: \\['`, 'm'), `${name} has an owner`);
  }
});

t.test('side effects of an import are found', async (t) => {
  const one = (text: string, exemptions = {}) => findSideEffects('src/a.ts', text, exemptions);
  t.same(one("import x from 'y';\nexport const z = new Map();\nexport function f() { g(); }"), []);
  t.same(one('start();'), ['src/a.ts:1 does something when it is imported']);
  t.same(one('start();', { starts: true }), []);
  t.same(one('if (a) b();'), ['src/a.ts:1 does something when it is imported']);
  t.same(one('export const a = await b();'), ['src/a.ts:1 waits when it is imported']);
  t.same(one('export const a = async () => await b();'), []);
  for (const text of ['const f = () => process.env;', "const f = () => process.env['HOME'];"]) {
    t.same(one(text), ['src/a.ts:1 reads the environment'], text);
    t.same(one(text, { readsEnvironment: true }), [], text);
  }
  t.same(one('const f = () => job.process;'), []);
  t.same(one('const f = () => globalThis.process.env;'), ['src/a.ts:1 reads globals by globalThis']);
  for (const text of [
    'const f = () => { const { env } = process; };',
    "const f = () => process['env'];",
    'const f = () => g(process);',
  ])
    t.same(one(text), ['src/a.ts:1 passes all of process on, environment included'], text);
  t.same(one('const f = () => process.exit(1);'), []);
  for (const text of [
    "import { createRequire } from 'node:module';",
    'const f = () => import(name);',
    'const f = () => import.meta.resolve(name);',
  ]) {
    t.same(one(text), ['src/a.ts:1 loads a module by a computed name'], text);
    t.same(one(text, { loadsComputed: true }), [], text);
  }
  t.same(one("const f = () => import('./a.js');"), []);
});
