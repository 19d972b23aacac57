import { allSettings, mainNameOf } from '../../src/server/config/settings.js';
import { readSource } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const { text } = readSource('CHANGELOG.md');
const { version } = JSON.parse(readSource('package.json').text) as { version: string };
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

t.test('the changelog has its format', async (t) => {
  const heads = [...text.matchAll(/^## (.+)$/gm)].map(([, head]) => head!);
  t.equal(heads[0], '[Unreleased]');
  for (const head of heads.slice(1)) t.match(head, /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  const numbers = heads.slice(1).map((head) => /\d+\.\d+\.\d+/.exec(head)![0]);
  if (numbers.length > 0) t.equal(numbers[0], version, 'the newest release is that of package.json');
  for (const [, kind] of text.matchAll(/^### (.+)$/gm)) t.ok(KINDS.includes(kind!), `${kind} is a kind of change`);
});

t.test('the lockfile has the version of package.json', async (t) => {
  const lock = JSON.parse(readSource('package-lock.json').text);
  t.same([lock.version, lock.packages[''].version], [version, version]);
});

t.test('every deprecated setting names its replacement, and is listed in docs/versioning.md', async (t) => {
  const deprecated = allSettings.map(({ setting }) => setting).filter((setting) => setting.deprecated !== undefined);
  t.ok(deprecated.length > 0);
  const page = readSource('docs/versioning.md').text;
  for (const setting of deprecated) {
    t.match(setting.deprecated, /may be removed|use AUTH_/, setting.variable);
    t.ok(page.includes(mainNameOf(setting)), `${mainNameOf(setting)} is named`);
  }
});
