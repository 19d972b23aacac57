import t from 'tap';
import { type BenchArguments, parseBenchArguments } from '../../bench/lib/arguments.js';
import { budgets } from '../../bench/lib/budgets.js';
import { guardRatios } from '../../bench/lib/guard.js';

const wanted = parseBenchArguments(['--guard']);
const of = (rate: number) => [{ requestsPerSecond: rate }];
const run = (refresh: number, password: number) => ({
  measurements: {
    samples: { refresh: of(refresh), sixRoundTrips: of(1000), password: of(password), raw: of(100) },
    residentBytes: {},
  },
});

type Outcome = Promise<{ code: number; names: string[]; lines: string[] }>;
const guard = (...runs: ReturnType<typeof run>[]): Outcome => guardWith(wanted, ...runs);

async function guardWith(wanted: BenchArguments, ...runs: ReturnType<typeof run>[]): Outcome {
  const names: string[] = [];
  const lines: string[] = [];
  const code = await guardRatios(
    async (name) => {
      names.push(name);
      return runs[names.length - 1]!;
    },
    wanted,
    (line) => lines.push(line),
  );
  return { code, names, lines };
}

t.test('the ratios that other work on the machine hardly moves', async (t) => {
  t.same(
    budgets.filter(({ isRobust }) => isRobust).map(({ gate }) => gate),
    [2.2, 0.8],
  );
});

t.test('one good run is enough', async (t) => {
  t.match(await guard(run(2300, 85)), { code: 0, names: ['guard_1'] });
});

t.test('a bad run is repeated once, on a database of its own', async (t) => {
  t.match(await guard(run(2300, 70), run(2300, 85)), { code: 0, names: ['guard_1', 'guard_2'] });
  const { code, lines } = await guard(run(2300, 70), run(2100, 85));
  t.equal(code, 1);
  t.match(lines.at(-2), /six round trips.*: 2\.10, gate 2\.20: missed/);
});

t.test('a build machine that others share asks for a part of the gates', async (t) => {
  const half = parseBenchArguments(['--guard', '--guard-percent', '50']);
  t.match(await guardWith(half, run(1100, 40)), { code: 0, names: ['guard_1'] });
  t.match(await guardWith(half, run(1090, 85), run(2300, 39)), { code: 1, names: ['guard_1', 'guard_2'] });
});

t.test('what was not measured has not passed', async (t) => {
  const nothing = { measurements: { samples: {}, residentBytes: {} } } as unknown as ReturnType<typeof run>;
  t.match(await guard(nothing, nothing), { code: 1 });
});
