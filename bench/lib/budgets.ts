/** The budgets of this server and how a run met them. */
import type { Measurements, Sample, Series } from './measurements.js';
import { median, medianRatio } from './statistics.js';

export interface Budget {
  readonly what: string;
  readonly unit: 'ratio' | 'ms' | 'µs' | 'MB' | 'clean exits';
  readonly better: 'higher' | 'lower';
  readonly gate: number;
  readonly goal: number;
  /** Two sides of it suffer alike when the machine is busy, so a build may fail on it. */
  readonly isRobust?: boolean;
  /** @returns undefined when this run has not measured it */
  measure(run: Measurements): number | undefined;
}

export type Verdict = 'goal' | 'gate' | 'missed' | 'not measured';

export interface Finding {
  readonly budget: Budget;
  readonly value: number | undefined;
  readonly verdict: Verdict;
}

const MB = 1e6;

export const budgets: readonly Budget[] = [
  ratio('refresh req/s ÷ pgbench of the same statement, 8 clients', 'refresh', 'refreshDirect', 0.75, 1.5),
  ratio('refresh req/s ÷ six round trips, 8 clients', 'refresh', 'sixRoundTrips', 2.2, 3, true),
  {
    ...{ what: 'refresh p99 at 64 connections', unit: 'ms', better: 'lower', gate: 20, goal: 10 },
    measure: (run) => medianOf(run, 'refresh', ({ p99Ms }) => p99Ms),
  },
  {
    ...{ what: 'server CPU per refresh', unit: 'µs', better: 'lower', gate: 45, goal: 30 },
    measure: (run) => medianOf(run, 'refresh', ({ cpuMicroseconds }) => cpuMicroseconds?.server),
  },
  ratio('refresh req/s, signed by the pool ÷ signed inline', 'refresh', 'refreshInline', 0.9, 1),
  ratio('password req/s ÷ raw argon2', 'password', 'raw', 0.8, 0.92, true),
  ratio('goodput at 10 × password overload ÷ raw argon2', 'storm', 'raw', 0.75, 0.88),
  {
    ...{ what: 'GET /user p99 in that storm', unit: 'ms', better: 'lower', gate: 15, goal: 6 },
    measure: (run) => medianOf(run, 'userInStorm', ({ p99Ms }) => p99Ms),
  },
  ratio('GET /user req/s ÷ GET /health req/s', 'user', 'health', 0.45, 0.65),
  {
    ...{ what: 'resident memory, idle', unit: 'MB', better: 'lower', gate: 150, goal: 110 },
    measure: ({ residentBytes: { idle } }) => (idle === undefined ? undefined : idle / MB),
  },
  {
    ...{ what: 'resident memory in the storm', unit: 'MB', better: 'lower', gate: 220, goal: 170 },
    measure: ({ residentBytes: { storm } }) => (storm === undefined ? undefined : storm / MB),
  },
  {
    ...{ what: 'SIGTERM in the storm: exit 0, nothing lost', unit: 'clean exits', better: 'higher', gate: 1, goal: 1 },
    measure: ({ sigterm }) => {
      if (sigterm === undefined) return undefined;
      return sigterm.lost > 0 ? 0 : (sigterm.runs - sigterm.badExits.length) / sigterm.runs;
    },
  },
];

function ratio(what: string, top: Series, bottom: Series, gate: number, goal: number, isRobust = false): Budget {
  return {
    ...{ what, unit: 'ratio', better: 'higher', gate, goal, isRobust },
    measure({ samples }) {
      const [tops, bottoms] = [samples[top], samples[bottom]];
      if (!tops?.length || !bottoms?.length) return undefined;
      const rate = ({ requestsPerSecond }: Sample) => requestsPerSecond;
      return medianRatio(tops.map(rate), bottoms.map(rate));
    },
  };
}

function medianOf(
  { samples }: Measurements,
  series: Series,
  read: (sample: Sample) => number | undefined,
): number | undefined {
  const values = (samples[series] ?? []).map(read).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

/** Holds a run against the budgets. */
export function judge(run: Measurements): Finding[] {
  return budgets.map((budget) => {
    const value = budget.measure(run);
    return { budget, value, verdict: verdictOf(budget, value) };
  });
}

export function verdictOf(budget: Pick<Budget, 'better' | 'gate' | 'goal'>, value: number | undefined): Verdict {
  if (value === undefined || Number.isNaN(value)) return 'not measured';
  const reaches = (bound: number) => (budget.better === 'higher' ? value >= bound : value <= bound);
  if (reaches(budget.goal)) return 'goal';
  return reaches(budget.gate) ? 'gate' : 'missed';
}
