/** Tables and chart of `npm run bench:organizations`. */
import { type Budget, describeMisses, judgeBy } from './budgets.js';
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import { budgetTable } from './main-report.js';
import {
  type OrganizationCosts,
  type OrganizationOptions,
  type OrganizationProcess,
  type OrganizationSide,
  type OrganizationTraffic,
  organizationSides,
  organizationTraffics,
} from './organizations.js';
import type { ScaleFigure } from './organizations-scale.js';
import type { Report, Result } from './results.js';
import type { Sample } from './rig.js';
import { middle, ratiosOf } from './statistics.js';
import { formatNumber, type Table } from './table.js';

type OrganizationBudget = Budget<readonly OrganizationProcess[]>;

/** What a list, a search or an activation may take. */
const MOST_P95_MS = 50;

const ratesOf = (costs: readonly OrganizationProcess[], traffic: OrganizationTraffic, side: OrganizationSide) =>
  costs.map(({ samples }) => samples[traffic][side]?.requestsPerSecond);

const budgetOf = (
  traffic: OrganizationTraffic,
  [top, bottom]: readonly [OrganizationSide, OrganizationSide],
  what: string,
  gate: number,
): OrganizationBudget => ({
  ...{ what: `${organizationTraffics[traffic]} req/s, ${what}`, unit: '', better: 'higher', gate, goal: 1 },
  isRobust: false,
  measure: (costs) => ratiosOf(ratesOf(costs, traffic, top), ratesOf(costs, traffic, bottom)),
});

const organizationBudgets: readonly OrganizationBudget[] = [
  budgetOf('refresh', ['on', 'off'], 'on ÷ off', 0.95),
  budgetOf('user', ['on', 'off'], 'on ÷ off', 0.95),
  budgetOf('refresh', ['off', 'before'], 'off ÷ the other revision', 0.98),
  budgetOf('user', ['off', 'before'], 'off ÷ the other revision', 0.98),
];

const isSlow = ({ p95Ms }: ScaleFigure): boolean => p95Ms > MOST_P95_MS;

export const judgeOrganizations = (costs: readonly OrganizationProcess[]) =>
  judgeBy(organizationBudgets, costs).filter(({ verdict }) => verdict !== 'not measured');

/** What missed its gate. */
export function describeMissedOrganizations({ costs, scale }: OrganizationCosts): string | undefined {
  const slow = scale.filter(isSlow).map(({ what }) => what);
  const ratios = describeMisses(judgeBy(organizationBudgets, costs));
  return slow.length === 0 ? ratios : `${ratios === undefined ? 'missed: ' : `${ratios}; `}${slow.join('; ')}`;
}

function requestTable(costs: readonly OrganizationProcess[]): Table {
  const sides = (Object.keys(organizationSides) as OrganizationSide[]).filter((side) =>
    costs.some(({ samples }) => samples.refresh[side] !== undefined),
  );
  const rows = (Object.keys(organizationTraffics) as OrganizationTraffic[]).flatMap((traffic) =>
    sides.map((side) => {
      const show = (read: (sample: Sample) => number | undefined) =>
        formatNumber(
          middle(
            costs.map(({ samples }) => {
              const sample = samples[traffic][side];
              return sample && read(sample);
            }),
          ),
        );
      return [
        ...[organizationTraffics[traffic], organizationSides[side]],
        show(({ requestsPerSecond }) => requestsPerSecond),
        show(({ p99Ms }) => p99Ms),
        show(({ cpuMicroseconds }) => cpuMicroseconds?.server),
        show(({ cpuMicroseconds }) => cpuMicroseconds?.database),
      ];
    }),
  );
  return { header: ['what', 'organizations', 'req/s', 'p99 ms', 'server µs', 'database µs'], rows };
}

const scaleTable = (scale: readonly ScaleFigure[], users: number): Table => ({
  header: [`of ${users.toLocaleString('en')} users`, 'p50 ms', 'p95 ms', 'gate', 'verdict'],
  rows: scale.map((figure) => [
    ...[figure.what, formatNumber(figure.p50Ms), formatNumber(figure.p95Ms), `≤ ${MOST_P95_MS}`],
    isSlow(figure) ? 'missed' : 'gate',
  ]),
});

export function reportOrganizations({
  machine,
  options,
  costs,
  scale,
}: Result<OrganizationOptions, OrganizationCosts>): Report {
  const { processes, seconds, users } = options;
  const length = `Median of ${processes} ${processes === 1 ? 'process' : 'processes'}, each of ${seconds} s`;
  const requests = costs.length === 0 ? [] : [requestTable(costs), budgetTable(judgeOrganizations(costs), false)];
  const bars = scale.map(({ what, p95Ms }) => ({ label: what, value: p95Ms, text: `${formatNumber(p95Ms)} ms` }));
  return {
    tables: [...requests, ...(scale.length === 0 ? [] : [scaleTable(scale, users)])],
    notes: [describeRun(machine, [], length)],
    chart: drawBars('Where there are many organizations', describeBriefly(machine), [
      { title: `p95 over one connection, ${users.toLocaleString('en')} users`, bars },
    ]),
    chartAlt: 'The slowest of twenty lists, searches and activations where there are many organizations',
  };
}
