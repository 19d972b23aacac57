/** What a run of bench/overload.ts leaves behind: a table, overload.json and a chart. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bar, type BarGroup, drawBars } from './chart.js';
import type { Machine } from './machine.js';
import {
  type OverloadCase,
  type OverloadOptions,
  type OverloadSample,
  REFRESHES_PER_SECOND,
  SLOW_MS,
  USERS_PER_SECOND,
} from './overload-rounds.js';
import { isBusy, replaceBetweenMarkers } from './report.js';
import { median, medianRatio } from './statistics.js';
import { type Align, formatNumber, markdownTable, textTable } from './table.js';

type Column = keyof OverloadSample;

const nameOf = ({ factor, isSlow }: OverloadCase): string => `${factor} ×${isSlow ? `, database +${SLOW_MS} ms` : ''}`;

const valuesOf = ({ samples }: OverloadCase, column: Column): number[] =>
  samples.map((sample) => sample[column]).filter((value) => value !== undefined);

function middleOf(each: OverloadCase, column: Column): number | undefined {
  const values = valuesOf(each, column);
  return values.length === 0 ? undefined : median(values);
}

const aligns: Align[] = ['left', ...Array.from({ length: 11 }, () => 'right' as const)];
const header = [
  'storm',
  'offered/s',
  'answered/s',
  '÷ raw argon2',
  'shed/s',
  'p50 ms',
  'p99 ms',
  'refresh p99 ms',
  'GET /user p99 ms',
  '503 to these/s',
  'in flight at most',
  'memory MB',
];

export function overloadRows(cases: readonly OverloadCase[]): string[][] {
  return cases.map((each) => {
    const show = (column: Column) => formatNumber(middleOf(each, column));
    const bytes = middleOf(each, 'residentBytes');
    return [
      nameOf(each),
      show('offeredPerSecond'),
      show('goodPerSecond'),
      formatNumber(medianRatio(valuesOf(each, 'goodPerSecond'), valuesOf(each, 'rawPerSecond'))),
      show('shedPerSecond'),
      show('p50Ms'),
      show('p99Ms'),
      show('refreshP99Ms'),
      show('userP99Ms'),
      show('othersRefusedPerSecond'),
      show('mostInFlight'),
      formatNumber(bytes === undefined ? undefined : bytes / 1e6),
    ];
  });
}

export function overloadGroups(cases: readonly OverloadCase[]): BarGroup[] {
  const bars = (column: Column, unit: string): Bar[] =>
    cases.map((each) => {
      const value = middleOf(each, column) ?? 0;
      return { label: nameOf(each), value, text: `${formatNumber(value)}${unit}`, isOurs: true };
    });
  const raw = median(cases.flatMap((each) => valuesOf(each, 'rawPerSecond')));
  const limit = { label: 'raw argon2', value: raw, text: `${formatNumber(raw)}/s`, isOurs: false };
  return [
    { title: 'Password grants answered', bars: [...bars('goodPerSecond', '/s'), limit] },
    { title: 'Their p99', bars: bars('p99Ms', ' ms') },
    { title: `Refresh grants meanwhile, ${REFRESHES_PER_SECOND}/s: p99`, bars: bars('refreshP99Ms', ' ms') },
    { title: `GET /user meanwhile, ${USERS_PER_SECOND}/s: p99`, bars: bars('userP99Ms', ' ms') },
    { title: 'Password grants in flight at most', bars: bars('mostInFlight', '') },
  ];
}

export function describeOverload(machine: Machine, wanted: OverloadOptions): string {
  const busy = isBusy(machine)
    ? ` The machine was busy with other things (load ${machine.loadBefore.toFixed(1)}).`
    : '';
  return `${machine.commit}, ${machine.date.slice(0, 16).replace('T', ' ')} UTC: ${machine.cores} cores (${machine.cpu}) for server, database and load together; Node ${machine.node}, Postgres ${machine.postgres}, ${machine.argon2}. Median of ${wanted.rounds} rounds of ${wanted.seconds} s; refresh grants at ${REFRESHES_PER_SECOND} and GET /user at ${USERS_PER_SECOND} a second beside the storm.${busy}`;
}

export const printOverload = (cases: readonly OverloadCase[], caption: string): string =>
  `\n${textTable(header, overloadRows(cases), aligns)}\n\n${caption}\n`;

/** Writes bench/results/overload.json, bench/results/overload.svg and the table in bench/README.md. */
export function writeOverload(
  root: string,
  cases: readonly OverloadCase[],
  machine: Machine,
  wanted: OverloadOptions,
): void {
  const results = join(root, 'bench/results');
  mkdirSync(results, { recursive: true });
  const { rounds, seconds } = wanted;
  const json = { machine, options: { rounds, seconds }, cases };
  writeFileSync(join(results, 'overload.json'), `${JSON.stringify(json, null, 2)}\n`);
  const subtitle = `${machine.commit}, ${machine.date.slice(0, 10)}, ${machine.cores} cores for server, database and load`;
  writeFileSync(
    join(results, 'overload.svg'),
    drawBars('Password grants at 1, 3 and 10 times what can be hashed', subtitle, overloadGroups(cases)),
  );
  const readme = join(root, 'bench/README.md');
  const section = `${markdownTable(header, overloadRows(cases), aligns)}\n\n${describeOverload(machine, wanted)}`;
  writeFileSync(readme, replaceBetweenMarkers(readFileSync(readme, 'utf8'), section, 'overload', 'bench:overload'));
}
