import { t } from '../support/tap.js';
import { spreadFolders } from '../support/test-files.js';

t.test('the files of each folder are spread over the whole, and those of like names', async (t) => {
  const ofFolder = (folder: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `dist/test/${folder}/${index}.test.js`);
  const [many, few] = [ofFolder('http', 6), ofFolder('e2e', 2)];
  const spread = spreadFolders([...few, ...many]);
  t.strictSame([...spread].sort(), [...few, ...many].sort(), 'each file once');
  t.strictSame(spreadFolders([...many, ...few].reverse()).sort(), [...spread].sort());
  t.strictSame(spreadFolders([...few, ...many]), spread, 'the same each time');
  const alike = [...ofFolder('http/console', 40), ...ofFolder('http/other', 40)].map((file) =>
    file.replace(/http\/(console|other)\//, 'http/$1-'),
  );
  const first = spreadFolders(alike).slice(0, 40);
  const ofConsole = first.filter((file) => file.includes('console')).length;
  t.ok(ofConsole >= 10 && ofConsole <= 30, `${ofConsole} of 40 of the console are in the first half`);
  const half = spread.slice(0, spread.length / 2);
  t.equal(half.filter((file) => few.includes(file)).length, 1, 'half of the few are in the first half');
});
