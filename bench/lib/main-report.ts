/** Tables and chart of `npm run bench`. */
import { describeMisses, type Finding, judge } from './budgets.js';
import { type Bar, type BarGroup, drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import type { MainOptions } from './main-options.js';
import type { Report, Result } from './results.js';
import type { Sample } from './rig.js';
import { limits, type Measurements, type Samples, type Series, seriesNames } from './series.js';
import { medianRatio, middle } from './statistics.js';
import { formatNumber, type Table } from './table.js';

const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;
const measured = (samples: Samples): Series[] =>
  (Object.keys(seriesNames) as Series[]).filter((series) => samples[series] !== undefined);

export function measurementTable({ samples }: Pick<Measurements, 'samples'>): Table {
  const rows = measured(samples).map((series) => {
    const own = samples[series]!;
    const show = (read: (sample: Sample) => number | undefined) => formatNumber(middle(own.map(read)));
    const limit = limits[series];
    const bounds = limit && samples[limit];
    return [
      seriesNames[series],
      show(rate),
      show(({ p50Ms }) => p50Ms),
      show(({ p99Ms }) => p99Ms),
      show(({ cpuMicroseconds }) => cpuMicroseconds?.server),
      show(({ cpuMicroseconds }) => cpuMicroseconds?.database),
      show(({ cpuMicroseconds }) => cpuMicroseconds?.generator),
      bounds ? `${formatNumber(medianRatio(own.map(rate), bounds.map(rate)))} × ${seriesNames[limit]}` : '',
    ];
  });
  const columns = ['req/s', 'p50 ms', 'p99 ms', 'server µs', 'database µs', 'generator µs', 'beside its limit'];
  return { header: ['what', ...columns], rows };
}

/** @param hasProcesses whether the values are of several processes, and not of rounds of one */
export function budgetTable(findings: readonly Finding<never>[], hasProcesses: boolean): Table {
  const rows = findings.map(({ budget: { what, unit, better, gate, goal }, value, ofProcesses, verdict }) => {
    const sign = better === 'higher' ? '≥' : '≤';
    const show = (number: number | undefined) => `${formatNumber(number)} ${unit}`.trim();
    const each = [...ofProcesses].sort((a, b) => a - b);
    const range = each.length < 2 ? '' : `${formatNumber(each[0])} to ${formatNumber(each.at(-1))}`;
    return [
      ...[what, show(value), ...(hasProcesses ? [range] : [])],
      ...[`${sign} ${show(gate)}`, `${sign} ${show(goal)}`, verdict],
    ];
  });
  const measured = hasProcesses ? ['median', 'of the processes'] : ['measured'];
  return { header: ['budget', ...measured, 'gate', 'goal', 'verdict'], rows };
}

/** What is recorded of each budget: the median, which decides, and the value of every process. */
export const recordBudgets = (run: Measurements) =>
  judge(run)
    .filter(({ verdict }) => verdict !== 'not measured')
    .map(({ budget: { what, gate }, value: median, ofProcesses: processes, verdict }) => {
      return { what, gate, median, processes, verdict };
    });

/** A bar for every series, in groups that are comparable. */
export function chartGroups(samples: Samples): BarGroup[] {
  const groups: [title: string, ours: Series[], references: Series[]][] = [
    [
      'Refresh grants',
      ['refresh', 'refreshOauth', 'refreshWatched', 'refreshHook', 'refreshInline'],
      ['refreshBare', 'refreshDirect', 'sixRoundTrips'],
    ],
    ['Reading the user', ['user'], ['userBare', 'userDirect', 'health']],
    ['Passwords', ['password', 'storm', 'signup'], ['raw']],
  ];
  const bar = (series: Series, isReference: boolean): Bar[] => {
    const value = middle((samples[series] ?? []).map(rate));
    return value === undefined
      ? []
      : [{ label: seriesNames[series], value, text: `${formatNumber(value)}/s`, isReference }];
  };
  return groups
    .map(([title, ours, references]) => ({
      title,
      bars: [...ours.flatMap((series) => bar(series, false)), ...references.flatMap((series) => bar(series, true))],
    }))
    .filter(({ bars }) => bars.length > 0);
}

const countProcesses = ({ samples }: Measurements): number =>
  Math.max(...Object.values(samples).map(({ length }) => length));

export function reportMain({ machine, options, ...run }: Result<MainOptions, Measurements>): Report {
  const { rounds, seconds, logLevel } = options;
  // The guard ends as soon as most of them agree.
  const processes = options.guard ? countProcesses(run) : options.processes;
  const tools = [run.tools.pgbench ?? 'no pgbench', run.tools.argon2];
  const turns = `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s`;
  const length = `Median of ${processes ? `${processes} processes, each of ` : ''}${turns}, log level ${logLevel}`;
  const notes = [describeRun(machine, tools, length)];
  if (run.sigterm) {
    const { runs, badExits, acknowledged, lost } = run.sigterm;
    const exits = badExits.length === 0 ? `${runs} × exit 0` : `of ${runs} exits ${badExits.join(', ')} are not 0`;
    notes.unshift(`SIGTERM in the storm: ${exits}; ${lost} of ${acknowledged} acknowledged tokens lost.`);
  }
  const findings = judge(run);
  const measuredOnes = findings.filter(({ verdict }) => verdict !== 'not measured');
  const others = findings.filter(
    ({ budget, verdict }) => verdict === 'not measured' && !/other revision/.test(budget.what),
  );
  if (others.length > 0) notes.unshift(`Not measured: ${others.map(({ budget }) => budget.what).join('; ')}.`);
  return {
    tables: [measurementTable(run), budgetTable(measuredOnes, processes !== undefined)],
    notes,
    chart: drawBars(
      'Latchkey and its limits',
      `${describeBriefly(machine)}; 2xx answers a second`,
      chartGroups(run.samples),
    ),
    chartAlt: 'Requests per second beside their limits',
  };
}

/** What missed its gate. */
export const describeMissed = (run: Measurements): string | undefined => describeMisses(judge(run));
