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

t.test('one good run is enough', async (t) => {
  t.match(await guard(run(2300, 85)), { holds: true, names: ['guard_1'] });
});

t.test('a bad run is repeated once, on a database of its own', async (t) => {
  t.match(await guard(run(2300, 70), run(2300, 85)), { holds: true, names: ['guard_1', 'guard_2'] });
  const { holds, lines } = await guard(run(2300, 70), run(2100, 85));
  t.equal(holds, false);
  t.match(lines.at(-2), /six round trips.*: 2\.10, gate 2\.20: missed/);
});

t.test('a shared build machine requires a percentage of the gates', async (t) => {
  const half = readMainOptions({ guard: true, 'guard-percent': '50' });
  t.match(await guardWith(half, run(1100, 40)), { holds: true, names: ['guard_1'] });
  t.match(await guardWith(half, run(1090, 85), run(2300, 39)), { holds: false, names: ['guard_1', 'guard_2'] });
});

t.test('what was not measured has not passed', async (t) => {
  const nothing: Measurements = { samples: {}, residentBytes: {}, tools: {} };
  t.match(await guard(nothing, nothing), { holds: false });
});
