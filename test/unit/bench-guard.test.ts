import { budgets } from '../../bench/lib/budgets.js';
import { guardRatios } from '../../bench/lib/guard.js';
import { type MainOptions, readMainOptions } from '../../bench/lib/main-options.js';
import type { Measurements } from '../../bench/lib/series.js';
import { t } from '../support/tap.js';

const options = readMainOptions({ guard: true });
const of = (rate: number) => [{ requestsPerSecond: rate }];
const run = (refresh: number, password: number): Measurements => ({
  samples: { refresh: of(refresh), sixRoundTrips: of(1000), password: of(password), raw: of(100) },
  residentBytes: {},
  tools: {},
});

type Outcome = Promise<{ holds: boolean; names: string[]; lines: string[] }>;
const guard = (...runs: Measurements[]): Outcome => guardWith(options, ...runs);

async function guardWith(options: MainOptions, ...runs: Measurements[]): Outcome {
  const names: string[] = [];
  const lines: string[] = [];
  const { holds } = await guardRatios(
    async (name) => {
      names.push(name);
      return runs[names.length - 1]!;
    },
    options,
    (line) => lines.push(line),
  );
  return { holds, names, lines };
}

t.test('the ratios that other work on the machine hardly changes', async (t) => {
  t.same(
    budgets.filter(({ isRobust }) => isRobust).map(({ gate }) => gate),
    [2.2, 0.8],
  );
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `guard_${index + 1}`);

t.test('three of five processes that agree are enough, each on a database of its own', async (t) => {
  const [good, bad] = [run(2300, 85), run(2300, 70)];
  t.match(await guard(good, good, good), { holds: true, names: names(3) });
  t.match(await guard(good, bad, bad, good, good), { holds: true, names: names(5) });
  t.match(await guard(bad, good, bad, bad), { holds: false, names: names(4) });
});

t.test('the median of the processes is named with the value of each', async (t) => {
  const { holds, lines } = await guard(run(2300, 85), run(2100, 85), run(2000, 85), run(2150, 85));
  t.equal(holds, false);
  t.match(lines[0], /six round trips.*: 2\.13 \(2\.30, 2\.10, 2\.00, 2\.15\), gate 2\.20: missed/);
});

t.test('gates that are missed by turns are missed by no median', async (t) => {
  const [slowRefresh, slowPassword, good] = [run(2100, 85), run(2300, 70), run(2300, 85)];
  t.match(await guard(slowRefresh, slowRefresh, slowPassword, slowPassword, good), { holds: true, names: names(5) });
});

t.test('a shared build machine requires a percentage of the gates', async (t) => {
  const half = readMainOptions({ guard: true, 'guard-percent': '50' });
  const [enough, slow] = [run(1100, 40), run(1090, 85)];
  t.match(await guardWith(half, enough, enough, enough), { holds: true, names: names(3) });
  t.match(await guardWith(half, slow, slow, slow), { holds: false, names: names(3) });
});

t.test('what was not measured has not passed', async (t) => {
  const nothing: Measurements = { samples: {}, residentBytes: {}, tools: {} };
  t.match(await guard(nothing, nothing, nothing, nothing, nothing), { holds: false });
});
