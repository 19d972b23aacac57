/** The rules for files are worth what they catch: each broken once here, in sources made for it. */
import t from 'tap';
import { findLongFiles, findNameFaults, findScriptFaults, findTextFaults, MOST_LINES } from '../support/check-file.js';

const lines = (count: number): string => 'x;\n'.repeat(count);

t.test('length', async (t) => {
  const file = (count: number) => [{ path: 'src/a.ts', text: lines(count) }];
  t.same(findLongFiles(file(MOST_LINES), {}), []);
  t.same(findLongFiles(file(MOST_LINES + 1), {}), ['src/a.ts has 251 lines, more than 250']);
  t.same(findLongFiles(file(MOST_LINES + 1), { 'src/a.ts': 'because' }), []);
  t.same(findLongFiles(file(3), { 'src/a.ts': 'because' }), ['src/a.ts is short enough and needs no exception']);
  t.same(findLongFiles([], { 'src/a.ts': 'because' }), ['src/a.ts is excepted and gone']);
});

t.test('text', async (t) => {
  const one = (text: string) => findTextFaults({ path: 'a.md', text });
  for (const word of ['TO', 'FIX', 'XX', 'HA'].map((head, i) => head + ['DO', 'ME', 'X', 'CK'][i])) {
    t.same(one(`fine\n// ${word}: later`), ['a.md:2 says that something is unfinished'], word);
  }
  t.same(one('todos, XXXX and a hack'), []);
  for (const path of [`${'/ho'}me/ann/latchkey`, `${'/ro'}ot/.npmrc`, `${'/Us'}ers/ann`, `${'C:'}\\Users\\ann`]) {
    t.same(one(`see ${path}`), ["a.md:1 names a path of somebody's machine"], path);
  }
  t.same(one('https://example.com/home/ann, ./work/x, <root>/home/x and /health'), []);
});

t.test('programs', async (t) => {
  const one = (text: string, path = 'src/a.ts') => findScriptFaults({ path, text });
  t.same(one('export const a = 1;'), []);
  for (const text of ['export default 1;', 'export default function f() {}', 'export { a as default };']) {
    t.same(one(text), ['src/a.ts:1 has a default export'], text);
  }
  t.same(one("console.log('x');"), ['src/a.ts:1 writes to the console']);
  t.same(one("console['log']('x');"), ['src/a.ts:1 writes to the console']);
  t.same(one("const text = 'console.log';"), []);
  t.same(one("console.log('x');", 'bench/a.ts'), []);
  const leftOut = ['test/a.test.ts:1 leaves out tests'];
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
    t.same(one(text, 'test/a.test.ts'), leftOut, text);
  }
  t.same(one("t.test('a', { timeout: 5000 }, f); reader.skip(3); t.pass('held'); t.plan(2);", 'test/a.test.ts'), []);
  t.same(one("t.plan(0, 'no browser');", 'test/support/not-here.ts'), []);
});

t.test('names', async (t) => {
  for (const path of ['src/sign-in.ts', 'src/crypto.worker.ts', 'test/a.test.ts', 'docs/settings.md']) {
    t.same(findNameFaults(path), [], path);
  }
  for (const path of ['src/signIn.ts', 'src/SignIn.ts', 'src/sign_in.ts', 'docs/Settings.md', 'src/-a.ts']) {
    t.same(findNameFaults(path), [`${path} is not in kebab-case`], path);
  }
  t.same(findNameFaults('sql/migrations/00002_one_time_tokens.sql'), []);
  t.same(findNameFaults('sql/migrations/2-tokens.sql'), ['sql/migrations/2-tokens.sql is not in kebab-case']);
});
