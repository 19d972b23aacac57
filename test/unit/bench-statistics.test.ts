import { parseStat } from '../../bench/lib/process-usage.js';
import { medianRatio, middle } from '../../bench/lib/statistics.js';
import { t } from '../support/tap.js';

t.test('the median is the middle of any order, and the mean of the two middles', async (t) => {
  t.equal(middle([9, 1, 5]), 5);
  t.equal(middle([4, 1, 3, 2]), 2.5);
  t.equal(middle([100, 20]), 60, 'sorted as numbers, not as text');
  t.equal(middle([undefined, 7]), 7);
  t.equal(middle([undefined]), undefined);
});

t.test('a slow round that affects both sides does not change the ratio', async (t) => {
  t.equal(medianRatio([100, 10, 100], [200, 20, 200]), 0.5);
  t.equal(medianRatio([100, 10], [200]), undefined, 'a round without its counterpart');
  t.equal(medianRatio([], []), undefined);
});

t.test('processor time is read past a process name with blanks and parentheses', async (t) => {
  const line = '42 (node (a) b) S 7 42 42 0 -1 4194560 1 0 0 0 250 50 80 20 20 0 11 0 100 0 0';
  t.same(parseStat(line), { own: 3, endedChildren: 1 });
});
