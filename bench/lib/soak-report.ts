/** Tables and chart of `npm run bench:soak`. */
import { median, slope } from '../../test/support/statistics.js';
import { drawLines, type Panel } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import type { Report, Result } from './results.js';
import { type Quantity, type Readings, rates, type Soak, type SoakKind, type SoakOptions, soakKinds } from './soak.js';
import { formatNumber, formatSigned, type Table } from './table.js';

/** The demands of REL-18. */
const MOST_HEAP_GROWTH_PERCENT = 2;
const MOST_RESIDENT_MB_PER_MINUTE = 0.5;
/** A timer that happens to run, or the scrape itself; a handle leaked each minute is more in half an hour. */
const MOST_HANDLES = 3;

const kindNames: Readonly<Record<SoakKind, string>> = {
  refresh: 'refresh grants',
  user: 'GET /user',
  password: 'password grants',
  signup: 'sign-ups',
};

type Point = readonly [minute: number, value: number];

const pointsOf = (readings: Readings, quantity: Quantity, scale = 1): Point[] =>
  readings.minute.map((minute, index) => [minute, readings[quantity][index]! / scale]);

/** How a quantity developed over the run. */
export interface Course {
  /** Median of the first job. */
  readonly start: number;
  /** Median of the last job. */
  readonly end: number;
  /** Slope by least squares; undefined of a single job. */
  readonly perMinute: number | undefined;
  /** That slope over the whole run. */
  readonly growth: number | undefined;
}

/** @param jobs how many the readings are of, as many of each */
export function courseOf(readings: Readings, quantity: Quantity, jobs: number, scale = 1): Course {
  const points = pointsOf(readings, quantity, scale);
  const values = points.map(([, value]) => value);
  const perJob = values.length / jobs;
  const perMinute = jobs > 1 ? slope(points) : undefined;
  return {
    start: median(values.slice(0, perJob)),
    end: median(values.slice(-perJob)),
    perMinute,
    growth: perMinute && perMinute * (points.at(-1)![0] - points[0]![0]),
  };
}

export function soakTable({ samples, atRest, collectedHeap, faults }: Soak, jobs: number): Table {
  const row = (what: string, course: Omit<Course, 'growth'>, judged: number | undefined, most: number, unit = '') => {
    // A change of handles is judged in both directions: fewer is a fault, too.
    const isLevel = unit === '';
    const measured = isLevel && judged !== undefined ? Math.abs(judged) : judged;
    return [
      what,
      formatNumber(course.start),
      formatNumber(course.end),
      formatSigned(course.perMinute),
      judged === undefined ? '–' : `${formatSigned(judged)}${unit}`,
      `${isLevel ? '±' : '≤ '}${most}${unit}`,
      measured === undefined ? '–' : measured <= most ? 'holds' : 'missed',
    ];
  };
  const resident = courseOf(samples, 'residentBytes', jobs, 1e6);
  const [start, end] = [collectedHeap.start / 1e6, collectedHeap.end / 1e6];
  const heap = { start, end, perMinute: (end - start) / atRest.minute.at(-1)! };
  const handles = courseOf(atRest, 'handles', jobs);
  const descriptors = courseOf(atRest, 'descriptors', jobs);
  return {
    header: ['what', 'start', 'end', 'per minute', 'judged by', 'demanded', 'verdict'],
    rows: [
      row('resident MB', resident, resident.perMinute, MOST_RESIDENT_MB_PER_MINUTE, ' MB/min'),
      row('heap MB, collected', heap, (end / start - 1) * 100, MOST_HEAP_GROWTH_PERCENT, ' %'),
      row('handles at rest', handles, handles.growth, MOST_HANDLES),
      row('open descriptors at rest', descriptors, descriptors.growth, MOST_HANDLES),
      ['answers other than 2xx', '', '', '', String(faults), '0', faults === 0 ? 'holds' : 'missed'],
    ],
  };
}

export function latencyTable(p99Ms: Soak['p99Ms']): Table {
  const rows = soakKinds.map((kind) => [
    kindNames[kind],
    String(rates[kind]),
    formatNumber(median(p99Ms[kind])),
    formatNumber(Math.max(...p99Ms[kind])),
  ]);
  return { header: ['request', 'per second', 'p99 ms, median minute', 'p99 ms, worst minute'], rows };
}

export function soakPanels({ samples, atRest }: Pick<Soak, 'samples' | 'atRest'>): Panel[] {
  return [
    {
      title: 'Memory, MB',
      lines: [
        { name: 'resident', points: pointsOf(samples, 'residentBytes', 1e6) },
        { name: 'heap in use', points: pointsOf(samples, 'heapBytes', 1e6) },
      ],
    },
    {
      title: 'Handles and open descriptors, without those of database connections',
      lines: [
        { name: 'descriptors', points: pointsOf(samples, 'descriptors') },
        { name: 'descriptors, at rest', points: pointsOf(atRest, 'descriptors') },
        { name: 'handles, at rest', points: pointsOf(atRest, 'handles') },
      ],
    },
  ];
}

export function reportSoak({ machine, options, ...soak }: Result<SoakOptions, Soak>): Report {
  const { jobs, warmUpJobs, jobSeconds, sampleSeconds } = options;
  const minutes = (count: number) => `${Number(((count * jobSeconds) / 60).toFixed(1))} min`;
  const length = `${minutes(jobs)} after ${minutes(warmUpJobs)} of warm-up, a sample every ${sampleSeconds} s`;
  return {
    tables: [soakTable(soak, jobs), latencyTable(soak.p99Ms)],
    notes: [describeRun(machine, [], length)],
    chart: drawLines('What the server holds under a steady load', describeBriefly(machine), 'min', soakPanels(soak)),
    chartAlt: 'Memory and handles over the run',
  };
}
