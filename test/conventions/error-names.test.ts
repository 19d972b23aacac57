import { catalogue } from '../../src/server/errors.js';
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test('each API error is in one file of its area', async (t) => {
  const files = readTree(['src/server/errors'], '.ts');
  const names = files.flatMap(({ text }) => [...text.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name!));
  t.ok(names.length > 100);
  // One that is there twice would replace the other without a word of the compiler.
  t.same([...names].sort(), Object.keys(catalogue).sort());
});
