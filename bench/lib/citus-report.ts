/** Gates, table and chart of `npm run bench:citus`. */
import { type Budget, describeMisses, judgeBy } from './budgets.js';
import { drawBars } from './chart.js';
import type { CitusFigures, CitusOptions, Way } from './citus.js';
import { describeBriefly, describeRun } from './machine.js';
import { budgetTable } from './main-report.js';
import type { Report, Result } from './results.js';
import { middle, ratiosOf } from './statistics.js';
import { formatNumber } from './table.js';

const ratio =
  (way: Way, to: Way): Budget<CitusFigures>['measure'] =>
  ({ cpuMicroseconds }) =>
    ratiosOf(cpuMicroseconds[way], cpuMicroseconds[to]);

const citusBudgets: readonly Budget<CitusFigures>[] = [
  {
    what: 'a refresh at the node of the session ÷ one Postgres, processor time',
    unit: '',
    gate: 1.8,
    goal: 1.3,
    better: 'lower',
    isRobust: true,
    measure: ratio('owner', 'plain'),
  },
  {
    what: 'the same in batches, 64 callers of one shard',
    unit: '',
    gate: 1.3,
    goal: 1.15,
    better: 'lower',
    isRobust: true,
    measure: ratio('ownerBatches', 'plainBatches'),
  },
];

/** What missed its gate. */
export const describeMissedCitus = (figures: CitusFigures): string | undefined =>
  describeMisses(judgeBy(citusBudgets, figures));

const NAMES: Readonly<Record<Way, string>> = {
  plain: 'one Postgres, a statement for each refresh',
  owner: 'the node of the session, a statement for each',
  coordinator: 'through the coordinator',
  plainBatches: 'one Postgres, batches',
  ownerBatches: 'the node of the sessions, batches, 64 callers of one shard',
  spreadBatches: 'the nodes of the sessions, batches, 64 callers of eight shards',
  plainSignIn: 'sign-in, one Postgres',
  signIn: 'sign-in, cluster',
  plainLogOut: 'log-out of one session, one Postgres',
  logOut: 'log-out of one session, cluster',
};

/** The same on one Postgres. */
const ON_ONE: Readonly<Record<Way, Way>> = {
  plain: 'plain',
  owner: 'plain',
  coordinator: 'plain',
  plainBatches: 'plainBatches',
  ownerBatches: 'plainBatches',
  spreadBatches: 'plainBatches',
  plainSignIn: 'plainSignIn',
  signIn: 'plainSignIn',
  plainLogOut: 'plainLogOut',
  logOut: 'plainLogOut',
};

export function reportCitus(result: Result<CitusOptions, CitusFigures>): Report {
  const { machine, options, cpuMicroseconds, rates, citusVersion } = result;
  const cpu = (way: Way): number => middle(cpuMicroseconds[way]) ?? 0;
  const ways = Object.keys(NAMES) as Way[];
  const rows = ways.map((way) => [
    NAMES[way],
    formatNumber(cpu(way)),
    formatNumber(cpu(way) / cpu(ON_ONE[way])),
    formatNumber(middle(rates[way])),
  ]);
  const bar = (way: Way, isReference = false) => ({
    label: NAMES[way],
    value: cpu(way),
    text: `${formatNumber(cpu(way))} µs`,
    isReference,
  });
  return {
    tables: [
      { header: ['what', 'processor time, µs', 'one Postgres = 1', 'a second, on one machine'], rows },
      budgetTable(judgeBy(citusBudgets, result), false),
    ],
    notes: [
      describeRun(machine, [], `Citus ${citusVersion}, ${options.turns} turns of ${options.seconds} s for each way`),
    ],
    chart: drawBars('A refresh on Citus', describeBriefly(machine), [
      {
        title: 'processor time of all Postgres processes for one refresh',
        bars: [
          bar('plain', true),
          bar('owner'),
          bar('coordinator'),
          bar('plainBatches', true),
          bar('ownerBatches'),
          bar('spreadBatches'),
        ],
      },
    ]),
    chartAlt: 'Processor time of a refresh on one Postgres, at the node of the session and through the coordinator',
  };
}
