/** A provider is a name, a file, a test and a fake, and none of them without the others (CONTRIBUTING.md). */

import { providerNames } from '../../src/server/config/settings/external.js';
import { fakeProviders } from '../support/fake-providers/index.js';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const sorted = (names: Iterable<string>): string[] => [...names].sort();
/** Files are in kebab-case, and names have underscores. */
const nameOf = (path: string): string => {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/(\.test)?\.ts$/, '');
  return file.replaceAll('-', '_');
};

t.test('every file of a provider has its name in the list, and every name its file', async (t) => {
  const files = readTree(['src/server/providers'], '.ts').filter(({ text }) => /^export const provider\b/m.test(text));
  t.same(sorted(files.map(({ path }) => nameOf(path))), sorted(providerNames));
});

t.test('every provider has a test that compares a whole profile', async (t) => {
  const tests = readTree(['test/providers'], '.test.ts').filter(({ text }) => {
    return /\bt\.(same|strictSame)\(/.test(text) && /\bsubject: .*\bclaims: \{.*\baddresses: \[/s.test(text);
  });
  const found = new Set(tests.map(({ path }) => nameOf(path)));
  t.same(
    providerNames.filter((name) => !found.has(name)),
    [],
  );
});

t.test('every provider has a fake with its format', async (t) => {
  t.same(sorted(Object.keys(fakeProviders)), sorted(providerNames));
});
