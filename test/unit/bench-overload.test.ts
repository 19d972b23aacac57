import { drawBars } from '../../bench/lib/chart.js';
import { overloadGroups, overloadTable, reportOverload } from '../../bench/lib/overload.js';
import { printReport } from '../../bench/lib/results.js';
import { t } from '../support/tap.js';

const sample = (goodPerSecond: number, residentBytes?: number) => ({
  ...{ rawPerSecond: 100, offeredPerSecond: 1000, goodPerSecond, shedPerSecond: 900, p50Ms: 500, p99Ms: 700 },
  ...{ refreshP99Ms: 8, userP99Ms: 5, othersShedPerSecond: 0, mostInFlight: 70 },
  residentBytes,
});
const cases = [
  { factor: 1, isSlow: false, samples: [sample(96, 150e6), sample(98, 150e6), sample(90, 150e6)] },
  { factor: 10, isSlow: true, samples: [sample(80)] },
];

t.test('a row for every overload: medians, and the share of what could be hashed', async (t) => {
  t.same(overloadTable(cases).rows, [
    ['1 ×', '1,000', '96.0', '900', '500', '700', '8.00', '5.00', '0', '70.0', '150', '0.96'],
    ['10 ×, database +50 ms', '1,000', '80.0', '900', '500', '700', '8.00', '5.00', '0', '70.0', '–', '0.80'],
  ]);
});

t.test('the chart has a bar for every overload, and for the limit', async (t) => {
  const groups = overloadGroups(cases);
  t.same(
    groups.map(({ bars }) => bars.length),
    [3, 2, 2, 2, 2],
  );
  t.match(groups[0]!.bars.at(-1), { label: 'raw argon2', value: 100, isReference: true });
  t.match(drawBars('storm', 'today', groups), '96.0/s');
});

t.test('the report names machine, versions and length', async (t) => {
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', loadBefore: 9 },
  };
  const report = reportOverload({ machine, options: { rounds: 3, seconds: 4 }, cases, tools: { argon2: 'argon2' } });
  const text = printReport(report);
  t.match(text, /in flight at most \| memory MB \| answered ÷ raw argon2 \|\n.*\n\| 1 × .*\n\| 10 ×, database \+50 ms/);
  t.match(text, /\n\nabc, 2026-11-21 12:00 UTC: 2 cores .*3 rounds of 4 s.*busy with other work \(load 9\.0\)/);
});
