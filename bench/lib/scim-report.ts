/** Budgets, table and chart of `npm run bench:scim`. */
import { quantile } from '../../test/support/statistics.js';
import { type Budget, describeMisses, judgeBy } from './budgets.js';
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import { budgetTable } from './main-report.js';
import type { Report, Result } from './results.js';
import {
  CONNECTIONS,
  type Load,
  PEOPLE_PER_SECOND,
  REFRESHES_PER_SECOND,
  type ScimFigures,
  type ScimOptions,
} from './scim.js';
import { middle, ratiosOf } from './statistics.js';
import { formatNumber } from './table.js';

type ScimBudget = Budget<ScimFigures>;
const lower = (
  bounds: Pick<ScimBudget, 'what' | 'unit' | 'gate' | 'goal'>,
  measure: ScimBudget['measure'],
): ScimBudget => ({ ...bounds, better: 'lower', isRobust: false, measure });

const p99Of = ({ turns }: ScimFigures, load: Load): number[] => turns.map(({ p99Ms }) => p99Ms[load]);
const besideAlone =
  (load: Load): ScimBudget['measure'] =>
  (figures) =>
    ratiosOf(p99Of(figures, load), p99Of(figures, 'alone'));

const scimBudgets: readonly ScimBudget[] = [
  lower({ what: 'all people of a provider, one token', unit: 's', gate: 60, goal: 30 }, ({ providerSeconds }) => [
    providerSeconds,
  ]),
  lower(
    { what: 'all people of an organization, one token', unit: 's', gate: 60, goal: 30 },
    ({ organizationSeconds }) => [organizationSeconds],
  ),
  lower({ what: 'one member of the group, changed', unit: 'ms', gate: 20, goal: 5 }, ({ memberMs }) => memberMs),
  lower(
    { what: 'p99 of POST /token, beside 5,000 people a minute ÷ alone', unit: '', gate: 2, goal: 1.3 },
    besideAlone('paced'),
  ),
  lower({ what: 'PATCH active: false to the first refusal elsewhere', unit: 'ms', gate: 100, goal: 20 }, ({ ended }) =>
    ended.map(({ refusedMs }) => refusedMs),
  ),
  lower({ what: 'refreshes accepted elsewhere after the answer', unit: '', gate: 0, goal: 0 }, ({ ended }) => [
    ended.reduce((sum, { acceptedAfter }) => sum + acceptedAfter, 0),
  ]),
];

/** What missed its gate. */
export const describeMissedScim = (figures: ScimFigures): string | undefined =>
  describeMisses(judgeBy(scimBudgets, figures));

export function reportScim(result: Result<ScimOptions, ScimFigures>): Report {
  const { machine, options, providerSeconds, organizationSeconds, memberMs, turns, ended } = result;
  const count = options.people.toLocaleString('en-US');
  const members = options.members.toLocaleString('en-US');
  const p99 = (load: Load): number => middle(p99Of(result, load)) ?? 0;
  const refusals = ended.map(({ refusedMs }) => refusedMs);
  const rows = [
    [`${count} people of a provider: s`, formatNumber(providerSeconds)],
    [`${count} people of an organization: s`, formatNumber(organizationSeconds)],
    [`a member of a group of ${members}: median ms`, formatNumber(middle(memberMs))],
    [`a member of a group of ${members}: p99 ms`, formatNumber(quantile(memberMs, 0.99))],
    ['POST /token, refresh, alone: p99 ms', formatNumber(p99('alone'))],
    ['beside 5,000 people a minute: p99 ms', formatNumber(p99('paced'))],
    ['beside as many people as are answered: p99 ms', formatNumber(p99('full'))],
    ['people a second, then', formatNumber(middle(turns.map(({ peoplePerSecond }) => peoplePerSecond)))],
    ['PATCH active: false, answered: median ms', formatNumber(middle(ended.map(({ patchMs }) => patchMs)))],
    ['to the first refused refresh elsewhere: median ms', formatNumber(middle(refusals))],
    ['to the first refused refresh elsewhere: most ms', formatNumber(Math.max(...refusals))],
  ];
  const bar = (label: string, value: number, unit: string) => ({
    label,
    value,
    text: `${formatNumber(value)} ${unit}`,
  });
  const length = `${options.turns} turns of ${options.seconds} s, ${ended.length} people ended, ${memberMs.length} changes of the group`;
  return {
    tables: [{ header: ['what', 'measured'], rows }, budgetTable(judgeBy(scimBudgets, result), false)],
    notes: [describeRun(machine, [], length)],
    chart: drawBars('Provisioning', describeBriefly(machine), [
      {
        title: `${count} people, a look-up and a POST each, over ${CONNECTIONS} connections`,
        bars: [
          bar('of a provider', providerSeconds, 's'),
          bar('of an organization', organizationSeconds, 's'),
          { ...bar('limit', 60, 's'), isReference: true },
        ],
      },
      {
        title: `p99 of POST /token, ${REFRESHES_PER_SECOND} refreshes/s`,
        bars: [
          bar('alone', p99('alone'), 'ms'),
          bar(`beside ${Math.round(PEOPLE_PER_SECOND)} people a second`, p99('paced'), 'ms'),
          bar('beside as many as are answered', p99('full'), 'ms'),
        ],
      },
    ]),
    chartAlt: 'Seconds to provision all people, and the slowest of 100 refreshes alone and meanwhile',
  };
}
