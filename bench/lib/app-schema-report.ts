/** Tables and chart of `npm run bench:app-schema`. */
import {
  type MirrorCosts,
  type MirrorOptions,
  type MirrorProcess,
  type MirrorSide,
  type MirrorTraffic,
  mirrorSides,
  mirrorTraffics,
} from './app-schema.js';
import { type Budget, describeMisses, judgeBy } from './budgets.js';
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import { budgetTable } from './main-report.js';
import type { Report, Result } from './results.js';
import type { Sample } from './rig.js';
import { medianRatio, middle, ratiosOf } from './statistics.js';
import { formatNumber, type Table } from './table.js';

type Figure = (cost: MirrorProcess) => number | undefined;
type MirrorBudget = Budget<readonly MirrorProcess[]>;

const rateOf =
  (traffic: MirrorTraffic, side: MirrorSide): Figure =>
  ({ samples }) =>
    samples[traffic][side].requestsPerSecond;

const budgetOf = (
  bounds: Pick<MirrorBudget, 'what' | 'better' | 'gate' | 'goal'>,
  on: Figure,
  off: Figure,
): MirrorBudget => ({
  ...bounds,
  ...{ unit: '', isRobust: false },
  measure: (costs) => ratiosOf(costs.map(on), costs.map(off)),
});

const requestBudget = (traffic: MirrorTraffic, gate: number, goal: number): MirrorBudget =>
  budgetOf(
    { what: `${mirrorTraffics[traffic]} req/s, on ÷ off`, better: 'higher', gate, goal },
    rateOf(traffic, 'on'),
    rateOf(traffic, 'off'),
  );

const mirrorBudgets: readonly MirrorBudget[] = [
  requestBudget('signup', 0.9, 1),
  requestBudget('refresh', 0.98, 1),
  requestBudget('user', 0.98, 1),
  budgetOf(
    { what: 'time of the import, on ÷ off', better: 'lower', gate: 1.5, goal: 1.2 },
    ({ importSeconds }) => importSeconds?.on,
    ({ importSeconds }) => importSeconds?.off,
  ),
];

export const judgeMirror = (costs: readonly MirrorProcess[]) => judgeBy(mirrorBudgets, costs);

/** What missed its gate. */
export const describeMissedMirror = ({ costs }: MirrorCosts): string | undefined => describeMisses(judgeMirror(costs));

const traffics = Object.keys(mirrorTraffics) as MirrorTraffic[];
const sides = Object.keys(mirrorSides) as MirrorSide[];

function requestTable(costs: readonly MirrorProcess[]): Table {
  const rows = traffics.flatMap((traffic) =>
    sides.map((side) => {
      const show = (read: (sample: Sample) => number | undefined) =>
        formatNumber(middle(costs.map(({ samples }) => read(samples[traffic][side]))));
      const ratio = medianRatio(costs.map(rateOf(traffic, side)), costs.map(rateOf(traffic, 'off')));
      return [
        ...[mirrorTraffics[traffic], mirrorSides[side], show(({ requestsPerSecond }) => requestsPerSecond)],
        show(({ p99Ms }) => p99Ms),
        show(({ cpuMicroseconds }) => cpuMicroseconds?.server),
        show(({ cpuMicroseconds }) => cpuMicroseconds?.database),
        side === 'off' ? '' : formatNumber(ratio),
      ];
    }),
  );
  return { header: ['what', 'schema', 'req/s', 'p99 ms', 'server µs', 'database µs', '÷ off'], rows };
}

export function reportMirror({ machine, options, costs }: Result<MirrorOptions, MirrorCosts>): Report {
  const { processes, seconds, users } = options;
  const imported = (side: 'off' | 'on') =>
    formatNumber(middle(costs.map(({ importSeconds }) => importSeconds?.[side])));
  const length = `Median of ${processes} ${processes === 1 ? 'process' : 'processes'}, each of ${seconds} s`;
  const ofImport = `Import of ${users.toLocaleString('en')} users: ${imported('off')} s without the schema, ${imported('on')} s with it.`;
  const measured = judgeMirror(costs).filter(({ verdict }) => verdict !== 'not measured');
  return {
    tables: [requestTable(costs), budgetTable(measured, false)],
    notes: [...(users === 0 ? [] : [ofImport]), describeRun(machine, [], length)],
    chart: drawBars(
      'What the schema of an application costs',
      `${describeBriefly(machine)}; 2xx answers a second`,
      traffics.map((traffic) => ({
        title: mirrorTraffics[traffic],
        bars: sides.map((side) => {
          const value = middle(costs.map(rateOf(traffic, side))) ?? 0;
          return { label: mirrorSides[side], value, text: `${formatNumber(value)}/s`, isReference: side === 'off' };
        }),
      })),
    ),
    chartAlt: 'Requests per second without and with a schema for applications',
  };
}
