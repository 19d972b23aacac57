/** What a run of bench/soak.ts leaves behind: a table with verdicts, soak.json and a chart. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { slope } from '../../test/support/statistics.js';
import { drawLines, type Panel } from './line-chart.js';
import type { Machine } from './machine.js';
import { isBusy, replaceBetweenMarkers } from './report.js';
import {
  RATES,
  type Soak,
  type SoakKind,
  type SoakMinute,
  type SoakOptions,
  type SoakSample,
  soakKinds,
} from './soak-rounds.js';
import { median } from './statistics.js';
import { type Align, formatNumber, markdownTable, textTable } from './table.js';

type Quantity = Exclude<keyof SoakSample, 'minute'>;
/** The heap in use saws, so what is judged of it is what was left after collections. */
type JudgedQuantity = Exclude<Quantity, 'heapBytes'>;
type Point = readonly [minute: number, value: number];

/** REL-18. */
const MOST_HEAP_GROWTH_PERCENT = 2;
const MOST_RESIDENT_MB_PER_MINUTE = 0.5;
/** A timer that happens to run, or the scrape itself; what every minute leaves behind comes to more in half an hour. */
const MOST_HANDLES = 3;

const kindNames: Record<SoakKind, string> = {
  refresh: 'refresh grants',
  user: 'GET /user',
  password: 'password grants',
  signup: 'sign-ups',
};

/** How a quantity went over the run. */
export interface Course {
  /** In the first minute. */
  readonly start: number;
  /** In the last minute. */
  readonly end: number;
  /** Least squares; undefined of a single minute. */
  readonly perMinute: number | undefined;
  /** What that slope comes to from the first sample to the last. */
  readonly growth: number | undefined;
}

export function courseOf(minutes: readonly SoakMinute[], quantity: JudgedQuantity): Course {
  const isAtRest = quantity === 'handles' || quantity === 'descriptors';
  const byMinute = minutes.map(({ samples, atRest }) =>
    (isAtRest ? [atRest] : samples).map((sample): Point => [sample.minute, sample[quantity]]),
  );
  const points = byMinute.flat();
  const middle = (own: readonly Point[]) => median(own.map(([, value]) => value));
  const perMinute = minutes.length > 1 ? slope(points) : undefined;
  const span = points.at(-1)![0] - points[0]![0];
  return {
    start: middle(byMinute[0]!),
    end: middle(byMinute.at(-1)!),
    perMinute,
    growth: perMinute === undefined ? undefined : perMinute * span,
  };
}

const aligns: Align[] = ['left', 'right', 'right', 'right', 'right', 'right', 'left'];
const header = ['what', 'start', 'end', 'a minute', 'judged by', 'demanded', 'verdict'];

export function soakRows({ minutes, collectedHeap }: Soak): string[][] {
  const row = (
    what: string,
    { start, end, perMinute }: Omit<Course, 'growth'>,
    scale: number,
    judged: number | undefined,
    unit: string,
    most: number,
    { isLevel = false }: { isLevel?: boolean } = {},
  ): string[] => {
    const measured = isLevel && judged !== undefined ? Math.abs(judged) : judged;
    const verdict = measured === undefined ? '–' : measured <= most ? 'holds' : 'missed';
    return [
      what,
      formatNumber(start / scale),
      formatNumber(end / scale),
      signed(perMinute === undefined ? undefined : perMinute / scale),
      judged === undefined ? '–' : `${signed(judged)}${unit}`,
      `${isLevel ? '±' : '≤ '}${most}${unit}`,
      verdict,
    ];
  };
  const resident = courseOf(minutes, 'residentBytes');
  const [handles, descriptors] = [courseOf(minutes, 'handles'), courseOf(minutes, 'descriptors')];
  const residentPerMinute = resident.perMinute === undefined ? undefined : resident.perMinute / 1e6;
  const grown = collectedHeap.end - collectedHeap.start;
  const heap = { ...collectedHeap, perMinute: grown / minutes.at(-1)!.atRest.minute };
  const faults = minutes.reduce((sum, minute) => sum + minute.faults, 0);
  return [
    row('resident MB', resident, 1e6, residentPerMinute, ' MB/min', MOST_RESIDENT_MB_PER_MINUTE),
    row('heap MB, collected', heap, 1e6, (grown / heap.start) * 100, ' %', MOST_HEAP_GROWTH_PERCENT),
    row('handles at rest', handles, 1, handles.growth, '', MOST_HANDLES, { isLevel: true }),
    row('open descriptors at rest', descriptors, 1, descriptors.growth, '', MOST_HANDLES, { isLevel: true }),
    ['answers other than 2xx', '', '', '', String(faults), '0', faults === 0 ? 'holds' : 'missed'],
  ];
}

/** With its sign, unless it is shown as 0. */
function signed(value: number | undefined): string {
  const text = formatNumber(value === undefined ? undefined : Math.abs(value));
  if (value === undefined || !/[1-9]/.test(text)) return text;
  return `${value > 0 ? '+' : '-'}${text}`;
}

const latencyAligns: Align[] = ['left', 'right', 'right', 'right'];
const latencyHeader = ['request', 'a second', 'p99 ms, middle minute', 'p99 ms, worst minute'];

export function latencyRows(minutes: readonly SoakMinute[]): string[][] {
  return soakKinds.map((kind) => {
    const values = minutes.map(({ p99Ms }) => p99Ms[kind]);
    return [kindNames[kind], String(RATES[kind]), formatNumber(median(values)), formatNumber(Math.max(...values))];
  });
}

export function soakPanels(minutes: readonly SoakMinute[]): Panel[] {
  const samples = minutes.flatMap((minute) => minute.samples);
  const rests = minutes.map(({ atRest }) => atRest);
  const line = (name: string, of: readonly SoakSample[], quantity: Quantity, scale = 1) => {
    return { name, points: of.map((sample): Point => [sample.minute, sample[quantity] / scale]) };
  };
  return [
    {
      title: 'Memory, MB',
      lines: [line('resident', samples, 'residentBytes', 1e6), line('heap in use', samples, 'heapBytes', 1e6)],
    },
    {
      title: 'Handles and open descriptors, without those of database connections',
      lines: [
        line('descriptors', samples, 'descriptors'),
        line('descriptors, rest', rests, 'descriptors'),
        line('handles, rest', rests, 'handles'),
      ],
    },
  ];
}

export function describeSoak(machine: Machine, wanted: SoakOptions): string {
  const { jobs, warmUpJobs, jobSeconds, sampleSeconds } = wanted;
  const length = (count: number) => (jobSeconds === 60 ? `${count} min` : `${count * jobSeconds} s`);
  const busy = isBusy(machine)
    ? ` The machine was busy with other things (load ${machine.loadBefore.toFixed(1)}).`
    : '';
  return `${machine.commit}, ${machine.date.slice(0, 16).replace('T', ' ')} UTC: ${machine.cores} cores (${machine.cpu}) for server, database and load together; Node ${machine.node}, Postgres ${machine.postgres}. ${length(jobs)} after ${length(warmUpJobs)} of warm-up, a sample every ${sampleSeconds} s.${busy}`;
}

export const printSoak = (soak: Soak, caption: string): string =>
  `\n${textTable(header, soakRows(soak), aligns)}\n\n${textTable(latencyHeader, latencyRows(soak.minutes), latencyAligns)}\n\n${caption}\n`;

/** Writes bench/results/soak.json, bench/results/soak.svg and the tables in bench/README.md. */
export function writeSoak(root: string, soak: Soak, machine: Machine, wanted: SoakOptions): void {
  const results = join(root, 'bench/results');
  mkdirSync(results, { recursive: true });
  const { jobs, warmUpJobs, jobSeconds, sampleSeconds } = wanted;
  const json = { machine, options: { jobs, warmUpJobs, jobSeconds, sampleSeconds }, rates: RATES, ...soak };
  writeFileSync(join(results, 'soak.json'), `${JSON.stringify(json, null, 2)}\n`);
  const subtitle = `${machine.commit}, ${machine.date.slice(0, 10)}, ${machine.cores} cores for server, database and load`;
  writeFileSync(
    join(results, 'soak.svg'),
    drawLines('What the server holds under a steady load', subtitle, 'min', soakPanels(soak.minutes)),
  );
  const readme = join(root, 'bench/README.md');
  const tables = [
    markdownTable(header, soakRows(soak), aligns),
    markdownTable(latencyHeader, latencyRows(soak.minutes), latencyAligns),
  ];
  const chart = '![Memory and handles over the run](results/soak.svg)';
  const section = [chart, ...tables, describeSoak(machine, wanted)].join('\n\n');
  writeFileSync(readme, replaceBetweenMarkers(readFileSync(readme, 'utf8'), section, 'soak', 'bench:soak'));
}
