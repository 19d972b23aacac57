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
import { type Verdict, verdictOf } from './budgets.js';
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import type { Report, Result } from './results.js';
import type { Sample } from './rig.js';
import { medianRatio, middle } from './statistics.js';
import { formatNumber, type Table } from './table.js';

type Figure = (cost: MirrorProcess) => number | undefined;

interface MirrorBudget {
  readonly what: string;
  readonly better: 'higher' | 'lower';
  readonly gate: number;
  readonly goal: number;
  readonly on: Figure;
  readonly off: Figure;
}

const rateOf =
  (traffic: MirrorTraffic, side: MirrorSide): Figure =>
  ({ samples }) =>
    samples[traffic][side].requestsPerSecond;

const requestBudget = (traffic: MirrorTraffic, gate: number, goal: number): MirrorBudget => ({
  what: `${mirrorTraffics[traffic]} req/s, on ÷ off`,
  better: 'higher',
  ...{ gate, goal },
  on: rateOf(traffic, 'on'),
  off: rateOf(traffic, 'off'),
});

const mirrorBudgets: readonly MirrorBudget[] = [
  requestBudget('signup', 0.9, 1),
  requestBudget('refresh', 0.98, 1),
  requestBudget('user', 0.98, 1),
  {
    ...{ what: 'time of the import, on ÷ off', better: 'lower', gate: 1.5, goal: 1.2 },
    on: ({ importSeconds }) => importSeconds?.on,
    off: ({ importSeconds }) => importSeconds?.off,
  },
];

interface MirrorFinding {
  readonly budget: MirrorBudget;
  readonly value: number | undefined;
  readonly verdict: Verdict;
}

export const judgeMirror = (costs: readonly MirrorProcess[]): MirrorFinding[] =>
  mirrorBudgets.map((budget) => {
    const value = medianRatio(costs.map(budget.on), costs.map(budget.off));
    return { budget, value, verdict: verdictOf(budget, value) };
  });

/** What missed its gate. */
export function describeMissedMirror({ costs }: MirrorCosts): string | undefined {
  const missed = judgeMirror(costs).filter(({ verdict }) => verdict === 'missed');
  return missed.length === 0 ? undefined : `missed: ${missed.map(({ budget }) => budget.what).join('; ')}`;
}

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

function mirrorBudgetTable(costs: readonly MirrorProcess[]): Table {
  const rows = judgeMirror(costs)
    .filter(({ verdict }) => verdict !== 'not measured')
    .map(({ budget: { what, better, gate, goal }, value, verdict }) => {
      const sign = better === 'higher' ? '≥' : '≤';
      return [what, formatNumber(value), `${sign} ${formatNumber(gate)}`, `${sign} ${formatNumber(goal)}`, verdict];
    });
  return { header: ['budget', 'measured', 'gate', 'goal', 'verdict'], rows };
}

export function reportMirror({ machine, options, costs }: Result<MirrorOptions, MirrorCosts>): Report {
  const { processes, seconds, users } = options;
  const imported = (side: 'off' | 'on') =>
    formatNumber(middle(costs.map(({ importSeconds }) => importSeconds?.[side])));
  const length = `Median of ${processes} ${processes === 1 ? 'process' : 'processes'}, each of ${seconds} s`;
  const ofImport = `Import of ${users.toLocaleString('en')} users: ${imported('off')} s without the schema, ${imported('on')} s with it.`;
  return {
    tables: [requestTable(costs), mirrorBudgetTable(costs)],
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
