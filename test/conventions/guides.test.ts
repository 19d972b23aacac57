/** Guides show the files of their examples as they are; test/e2e runs them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exampleOf, insertFiles, shownFiles } from '../../src/dev/docs/guide-files.js';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const guides = readTree(['docs/guides'], '.md').filter(({ path }) => existsSync(join(repository, exampleOf(path))));
/** Sums of packages are to be copied, not read. */
const UNREAD = 'go.sum';

t.test('each file of an example is in its guide, as npm run docs writes it', async (t) => {
  t.ok(guides.length > 0);
  for (const { path, text } of guides) {
    const example = exampleOf(path);
    t.equal(
      text,
      insertFiles(text, (file) => readSource(`${example}/${file}`).text),
      path,
    );
    const all = readTree([example]).map((file) => file.path.slice(example.length + 1));
    const files = all.filter((file) => file !== UNREAD);
    t.same(shownFiles(text).sort(), files.sort(), example);
  }
});

t.test('the example of a guide names its packages exactly, and uses each', async (t) => {
  const ofNode = guides.filter(({ path }) => existsSync(join(repository, exampleOf(path), 'package.json')));
  for (const { path } of ofNode) {
    const example = exampleOf(path);
    const manifest = JSON.parse(readSource(`${example}/package.json`).text);
    t.match(manifest, { private: true, license: 'Apache-2.0' }, example);
    const packages = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const version of Object.values(packages)) t.match(version, /^\d+\.\d+\.\d+$/, example);
    const imported = readTree([example]).flatMap(({ text }) =>
      [...text.matchAll(/from '(?!node:|[.$/])((?:@[^/']+\/)?[^/']+)/g)].map(([, wanted]) => wanted!),
    );
    for (const wanted of imported) t.ok(wanted in packages, `${example}: ${wanted}`);
  }
});

t.test('files are put in at their names', async (t) => {
  const guide = '**`a.js`**\n\n```js\nold();\n```\n\n**`b.js`** is no block.\n\n```js\nother();\n```\n';
  t.same(shownFiles(guide), ['a.js']);
  t.equal(
    insertFiles(guide, () => 'new();\n'),
    guide.replace('old()', 'new()'),
  );
});
