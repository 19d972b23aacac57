/** What a run leaves behind: tables, latest.json, the chart and the part of bench/README.md between two markers. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchArguments } from './arguments.js';
import { type Finding, judge } from './budgets.js';
import { type Bar, type BarGroup, drawBars } from './chart.js';
import type { Machine } from './machine.js';
import { type Measurements, type Sample, type Series, seriesNames } from './measurements.js';
import { median, medianRatio } from './statistics.js';
import { type Align, formatNumber, markdownTable, textTable } from './table.js';

/** Which limit a series is held against. */
const limits: Partial<Record<Series, Series>> = {
  refresh: 'refreshDirect',
  refreshBare: 'refreshDirect',
  refreshInline: 'refreshDirect',
  user: 'userDirect',
  userBare: 'userDirect',
  password: 'raw',
  signup: 'raw',
  storm: 'raw',
};

interface Table {
  readonly header: readonly string[];
  readonly aligns: Align[];
  readonly rows: string[][];
}

function measurementTable({ samples }: Measurements): Table {
  const rows = (Object.keys(seriesNames) as Series[])
    .filter((series) => samples[series] !== undefined)
    .map((series) => {
      const of = samples[series]!;
      const limit = limits[series];
      const against = limit === undefined ? undefined : samples[limit];
      const cpu = (part: 'server' | 'database' | 'generator') =>
        formatNumber(middle(of, ({ cpuMicroseconds }) => cpuMicroseconds?.[part]));
      return [
        seriesNames[series],
        formatNumber(median(of.map(rate))),
        formatNumber(middle(of, ({ p50Ms }) => p50Ms)),
        formatNumber(middle(of, ({ p99Ms }) => p99Ms)),
        cpu('server'),
        cpu('database'),
        cpu('generator'),
        against === undefined
          ? ''
          : `${formatNumber(medianRatio(of.map(rate), against.map(rate)))} of ${seriesNames[limit!]}`,
      ];
    });
  const header = [
    'what',
    'req/s',
    'p50 ms',
    'p99 ms',
    'server µs',
    'database µs',
    'generator µs',
    'ratio to its limit',
  ];
  return { header, aligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'left'], rows };
}

function budgetTable(findings: readonly Finding[]): Table {
  const rows = findings.map(({ budget: { what, unit, better, gate, goal }, value, verdict }) => {
    const sign = better === 'higher' ? '≥' : '≤';
    const shown = (bound: number | undefined) =>
      unit === 'ratio' || unit === 'clean exits' ? formatNumber(bound) : `${formatNumber(bound)} ${unit}`;
    return [
      what,
      value === undefined ? '–' : shown(value),
      `${sign} ${shown(gate)}`,
      `${sign} ${shown(goal)}`,
      verdict,
    ];
  });
  return {
    header: ['budget', 'measured', 'gate', 'goal', 'verdict'],
    aligns: ['left', 'right', 'right', 'right', 'left'],
    rows,
  };
}

const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;

function middle(samples: readonly Sample[], read: (sample: Sample) => number | undefined): number | undefined {
  const values = samples.map(read).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

export function describeRun(machine: Machine, wanted: Pick<BenchArguments, 'rounds' | 'seconds' | 'logLevel'>): string {
  const { cores, cpu, loadBefore, node, postgres, pgbench, argon2, commit, date } = machine;
  const tools = [`Postgres ${postgres}`, pgbench ?? 'no pgbench: pg clients instead', argon2]
    .filter(Boolean)
    .join(', ');
  const busy = isBusy(machine) ? ` The machine was busy with other things (load ${loadBefore.toFixed(1)}).` : '';
  return `${commit}, ${date.slice(0, 16).replace('T', ' ')} UTC: ${cores} cores (${cpu}) for server, database and load together; Node ${node}, ${tools}. Median of ${wanted.rounds} rounds of ${wanted.seconds} s, log level ${wanted.logLevel}.${busy}`;
}

/** True when other work took so much of the machine that figures of this run mean little. */
export function isBusy({ loadBefore, cores }: Pick<Machine, 'loadBefore' | 'cores'>): boolean {
  return loadBefore > cores / 4;
}

/** The tables as they are printed. */
export function printRun(run: Measurements, caption: string): string {
  const parts = [measurementTable(run), budgetTable(judge(run))];
  const text = parts.map(({ header, rows, aligns }) => textTable(header, rows, aligns)).join('\n\n');
  return `\n${text}\n\n${describeSigterm(run)}${caption}\n`;
}

function describeSigterm({ sigterm }: Measurements): string {
  if (sigterm === undefined) return '';
  const { runs, badExits, acknowledged, lost } = sigterm;
  const exits = badExits.length === 0 ? `${runs} × exit 0` : `of ${runs} exits ${badExits.join(', ')} are not 0`;
  return `SIGTERM in the storm: ${exits}; ${lost} of ${acknowledged} acknowledged tokens lost.\n`;
}

/** Writes everything below `bench/` of a checkout. */
export function writeRun(root: string, run: Measurements, machine: Machine, wanted: BenchArguments): void {
  const results = join(root, 'bench/results');
  mkdirSync(results, { recursive: true });
  const { rounds, seconds, logLevel } = wanted;
  const findings = judge(run).map(({ budget: { what, unit, gate, goal, better }, value, verdict }) => {
    return { what, unit, better, gate, goal, value: value ?? null, verdict };
  });
  const json = { machine, options: { rounds, seconds, logLevel }, budgets: findings, ...run };
  writeFileSync(join(results, 'latest.json'), `${JSON.stringify(json, null, 2)}\n`);
  const caption = describeRun(machine, wanted);
  const subtitle = `${machine.commit}, ${machine.date.slice(0, 10)}, ${machine.cores} cores for server, database and load; req/s, only 2xx`;
  writeFileSync(join(results, 'latest.svg'), drawBars('Latchkey beside what limits it', subtitle, chartGroups(run)));

  const readme = join(root, 'bench/README.md');
  const parts = [measurementTable(run), budgetTable(judge(run))];
  const markdown = parts.map(({ header, rows, aligns }) => markdownTable(header, rows, aligns)).join('\n\n');
  const section = `${markdown}\n\n${describeSigterm(run)}\n${caption}`;
  writeFileSync(readme, replaceBetweenMarkers(readFileSync(readme, 'utf8'), section));
}

/**
 * @param name of the two markers
 * @param command that writes what is between them
 * @throws when the markers are not there
 */
export function replaceBetweenMarkers(document: string, section: string, name = 'latest', command = 'bench'): string {
  const [startMarker, endMarker] = [`<!-- ${name}: written by npm run ${command} -->`, `<!-- /${name} -->`];
  const start = document.indexOf(startMarker);
  const end = document.indexOf(endMarker);
  if (start === -1 || end < start)
    throw new Error(`bench/README.md has lost its markers ${startMarker} and ${endMarker}`);
  return `${document.slice(0, start + startMarker.length)}\n\n${section}\n\n${document.slice(end)}`;
}

/** Bars of each pair of a measurement and its limits. */
export function chartGroups({ samples }: Measurements): BarGroup[] {
  const groups: [string, readonly Series[], readonly Series[]][] = [
    ['Refresh grants', ['refresh', 'refreshInline'], ['refreshBare', 'refreshDirect', 'sixRoundTrips']],
    ['Reading the user', ['user'], ['userBare', 'userDirect', 'health']],
    ['Passwords', ['password', 'storm', 'signup'], ['raw']],
  ];
  return groups
    .map(([title, ours, others]) => {
      const bar = (series: Series, isOurs: boolean): Bar[] => {
        const of = samples[series];
        if (of === undefined) return [];
        const value = median(of.map(rate));
        return [{ label: seriesNames[series], value, text: `${formatNumber(value)}/s`, isOurs }];
      };
      return { title, bars: [...ours.flatMap((s) => bar(s, true)), ...others.flatMap((s) => bar(s, false))] };
    })
    .filter(({ bars }) => bars.length > 0);
}
