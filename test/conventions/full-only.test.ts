/**
 * A file that `npm test` leaves out names the files that have the rest of its subject: those must be in `npm test`. What a full run
 * leaves out since `npm test` has run it must be there, too.
 */
import { hasFullForm, isFullOnly } from '../support/long-form.js';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** `test/http/saml-acs.test.ts` → `http/saml-acs` */
const nameOf = (path: string): string => path.replace(/^test\//, '').replace(/(?:\.alone)?\.test\.ts$/, '');

/** @returns names in the reasons, of files that `npm test` has none of; words without a hyphen or folder are English */
function findLeftOut(files: readonly TestFile[]): string[] {
  const isIn = (name: string) => (path: string) => nameOf(path) === name || nameOf(path).endsWith(`/${name}`);
  return files.flatMap(({ path, text }) => {
    const [, reason = ''] = /^onlyIn(?:Full|Long)\(\s*(['"][^\n]*)/m.exec(text) ?? [];
    return (reason.match(/[a-z0-9]+(?:[-/][a-z0-9]+)+/g) ?? [])
      .filter((name) => {
        const named = files.filter((file) => isIn(name)(file.path));
        return named.length > 0 && named.every((file) => isFullOnly(file.text));
      })
      .map((name) => `${path} names ${name}`);
  });
}

t.test('what a file names in place of itself is in npm test', async (t) => {
  const files = readTree(['test'], '.test.ts');
  t.ok(files.filter(({ text }) => isFullOnly(text)).length > 50);
  t.same(findLeftOut(files), []);
});

t.test('the search finds a name that is not', async (t) => {
  const file = (path: string, text: string): TestFile => ({ path: `test/${path}.test.ts`, text });
  const files = [
    file('e2e/one-page', "onlyInFull('a browser; by HTTP: http/one-page, other-page and end-to-end');"),
    file('e2e/other-page', "onlyInFull(\n  'a browser; by HTTP: one-page',\n);"),
    file('http/one-page', ''),
    file('http/long-page', "onlyInLong('it waits; at once: other-page');"),
  ];
  t.same(findLeftOut(files), [
    'test/e2e/one-page.test.ts names other-page',
    'test/http/long-page.test.ts names other-page',
  ]);
});

/** @returns files in which a test is left out as shown before, and was not, or in which nothing else is left to run */
const findNotShown = (files: readonly TestFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    /^import [^;]*\bsameInFull\b/m.test(text) && (isFullOnly(text) || !hasFullForm(text)) ? [path] : [],
  );

t.test('a test that is the same in the full form is in a file that has one, and that npm test runs', async (t) => {
  t.same(findNotShown(readTree(['test'], '.test.ts')), []);
  const imported = "import { sameInFull } from '../support/long-form.js';\n";
  const files = [
    { path: 'whole', text: `${imported}onlyInFull('it installs packages');` },
    { path: 'without', text: imported },
    { path: 'good', text: `${imported}for (const threads of pickFirst(['2', '1'])) {` },
  ];
  t.same(findNotShown(files), ['whole', 'without']);
});
