import t from 'tap';
import { drawBars } from '../../bench/lib/chart.js';
import { describeOverload, overloadGroups, overloadRows, printOverload } from '../../bench/lib/overload-report.js';

const sample = (goodPerSecond: number, residentBytes: number | undefined) => ({
  ...{ rawPerSecond: 100, offeredPerSecond: 1000, goodPerSecond, shedPerSecond: 900, p50Ms: 500, p99Ms: 700 },
  ...{ refreshP99Ms: 8, userP99Ms: 5, othersRefusedPerSecond: 0, mostInFlight: 70, residentBytes },
});
const cases = [
  { factor: 1, isSlow: false, samples: [sample(96, 150e6), sample(98, 150e6), sample(90, 150e6)] },
  { factor: 10, isSlow: true, samples: [sample(80, undefined)] },
];

t.test('a line for every storm: medians, and the share of what could be hashed', async (t) => {
  t.same(overloadRows(cases), [
    ['1 ×', '1,000', '96.0', '0.96', '900', '500', '700', '8.00', '5.00', '0', '70.0', '150'],
    ['10 ×, database +50 ms', '1,000', '80.0', '0.80', '900', '500', '700', '8.00', '5.00', '0', '70.0', '–'],
  ]);
  t.match(
    printOverload(cases, 'caption'),
    /in flight at most {2}memory MB\n.*\n1 × .*\n10 ×, database \+50 ms .*\n\ncaption/,
  );
});

t.test('the chart has a bar for every storm, and for the limit', async (t) => {
  const groups = overloadGroups(cases);
  t.same(
    groups.map(({ bars }) => bars.length),
    [3, 2, 2, 2, 2],
  );
  t.match(groups[0]!.bars.at(-1), { label: 'raw argon2', value: 100, isOurs: false });
  t.match(drawBars('storm', 'today', groups), '96.0/s');
});

t.test('it says where and how it was run', async (t) => {
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', pgbench: undefined, argon2: 'argon2', loadBefore: 9 },
  };
  const caption = describeOverload(machine, { root: '', rounds: 3, seconds: 4 });
  t.match(caption, /^abc, 2026-11-21 12:00 UTC: 2 cores .*3 rounds of 4 s.*busy with other things \(load 9\.0\)/);
});
