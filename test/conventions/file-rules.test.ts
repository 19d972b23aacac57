/** No unfinished work, no paths of one machine, no tests left out, names in kebab-case. */

import { findSkippedTests, findTextFaults, isWellNamed } from '../support/check-file.js';
import { readSource, readTree } from '../support/source-tree.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('a rule for sources, which --changed and test:full check');

const prose = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'THREATS.md',
  'Dockerfile',
  'package.json',
];
const programs = readTree(['src', 'test', 'bench', 'clients'], '.ts');

t.test('all files keep the rules', async (t) => {
  t.ok(programs.length > 100, 'the sources were found');
  // Pictures are no text.
  const others = readTree(['sql', 'docs', '.ci', 'bin', 'deploy', 'examples']).filter(
    ({ path }) => !path.endsWith('.png'),
  );
  t.same([...programs, ...others, ...prose.map(readSource)].flatMap(findTextFaults), []);
  t.same(programs.filter(({ path }) => path.startsWith('test/')).flatMap(findSkippedTests), []);
  const paths = readTree(['sql', 'docs']).map(({ path }) => path);
  t.same(
    paths.filter((path) => !isWellNamed(path)),
    [],
  );
});

t.test('unfinished work and paths of one machine are found', async (t) => {
  const one = (text: string) => findTextFaults({ path: 'a.md', text });
  for (const word of ['TO', 'FIX', 'XX', 'HA'].map((head, i) => head + ['DO', 'ME', 'X', 'CK'][i])) {
    t.same(one(`fine\n// ${word}: later`), ['a.md:2 has a marker of unfinished work'], word);
  }
  t.same(one('todos, XXXX and a hack'), []);
  for (const path of [`${'/ho'}me/ann/latchkey`, `${'/ro'}ot/.npmrc`, `${'/Us'}ers/ann`, `${'C:'}\\Users\\ann`]) {
    t.same(one(`see ${path}`), ['a.md:1 has a path of one machine'], path);
  }
  t.same(one('https://example.com/home/ann, ./work/x, <root>/home/x and /health'), []);
});

t.test('tests that are left out are found', async (t) => {
  const one = (text: string, path = 'test/a.test.ts') => findSkippedTests({ path, text });
  for (const text of [
    "t.only('a', f);",
    "t.skip('a', f);",
    "t.todo('a');",
    "t.test.only('a', f);",
    "t.test('a', { skip: true }, f);",
    "t.test('a', { todo: 'later' }, f);",
    "t.test('a', { only: true }, f);",
    "t.pass('not run: no browser');",
    "t.plan(0, 'no browser');",
  ]) {
    t.same(one(text), ['test/a.test.ts:1 leaves out tests'], text);
  }
  t.same(one("t.test('a', { timeout: 5000 }, f); reader.skip(3); t.pass('held'); t.plan(2);"), []);
  t.same(one("t.plan(0, 'no browser');", 'test/support/not-here.ts'), []);
});

t.test('names are checked', async (t) => {
  for (const path of [
    'docs/settings.md',
    'sql/queries/one-time-tokens.sql',
    'sql/migrations/00002_one_time_tokens.sql',
  ])
    t.ok(isWellNamed(path), path);
  for (const path of ['docs/Settings.md', 'docs/sign_in.md', 'docs/-a.md', 'sql/migrations/2-tokens.sql'])
    t.notOk(isWellNamed(path), path);
});
