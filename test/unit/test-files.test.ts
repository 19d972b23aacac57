import { t } from '../support/tap.js';
import { spreadFolders } from '../support/test-files.js';

t.test('the files of each folder are spread over the whole, in their order', async (t) => {
  const ofFolder = (folder: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `dist/test/${folder}/${index}.test.js`);
  const [many, few] = [ofFolder('http', 6), ofFolder('e2e', 2)];
  const spread = spreadFolders([...few, ...many]);
  t.strictSame([...spread].sort(), [...few, ...many].sort(), 'each file once');
  t.strictSame(
    spread.filter((file) => many.includes(file)),
    many,
  );
  t.strictSame(
    spread.filter((file) => few.includes(file)),
    few,
  );
  const half = spread.slice(0, spread.length / 2);
  t.equal(half.filter((file) => few.includes(file)).length, 1, 'half of the few are in the first half');
});
