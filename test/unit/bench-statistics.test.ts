import t from 'tap';
import { median, medianRatio, percentile } from '../../bench/lib/statistics.js';
import { parseStat } from '../../bench/lib/usage.js';

t.test('the median is the middle of any order, and the mean of the two middles', async (t) => {
  t.equal(median([9, 1, 5]), 5);
  t.equal(median([4, 1, 3, 2]), 2.5);
  t.equal(median([100, 20]), 60, 'sorted as numbers, not as text');
  t.throws(() => median([]));
});

t.test('a percentile is a value that was measured', async (t) => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1);
  t.equal(percentile(values, 50), 100);
  t.equal(percentile(values, 99), 198);
  t.equal(percentile(values, 100), 200);
  t.equal(percentile([7], 1), 7);
  t.equal(percentile([], 99), 0);
});

t.test('a slow round that weighs on both sides leaves the ratio alone', async (t) => {
  t.equal(medianRatio([100, 10, 100], [200, 20, 200]), 0.5);
});

t.test('processor time is read past a process name with blanks and parentheses', async (t) => {
  const line = '42 (node (a) b) S 7 42 42 0 -1 4194560 1 0 0 0 250 50 80 20 20 0 11 0 100 0 0';
  t.same(parseStat(line), { parent: 7, cpuSeconds: 3, endedChildrenSeconds: 1 });
});
