/** The budgets of this server and how a run met them. */
import type { Measurements, Sample, Series } from './measurements.js';
import { medianRatio } from './statistics.js';

export interface Budget {
  readonly what: string;
  readonly unit: 'ratio' | 'MB' | 'clean exits';
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

type Reading = (sample: Sample) => number | undefined;

const rate: Reading = ({ requestsPerSecond }) => requestsPerSecond;
const p99: Reading = ({ p99Ms }) => p99Ms;
const serverCpu: Reading = ({ cpuMicroseconds }) => cpuMicroseconds?.server;

export const budgets: readonly Budget[] = [
  ratio('refresh req/s ÷ pgbench of the same statement, 8 clients', 'refresh', 'refreshDirect', 0.75, 1.5),
  ratio('refresh req/s ÷ six round trips, 8 clients', 'refresh', 'sixRoundTrips', 2.2, 4, { isRobust: true }),
  ratio('refresh p99 ÷ that of the bare server', 'refresh', 'refreshBare', 2, 1.3, { of: p99 }),
  ratio('server CPU per refresh ÷ that of the bare server', 'refresh', 'refreshBare', 1.5, 1.25, { of: serverCpu }),
  ratio('refresh req/s, signed by the pool ÷ signed inline', 'refresh', 'refreshInline', 0.9, 1),
  ratio('password req/s ÷ raw argon2', 'password', 'raw', 0.8, 0.95, { isRobust: true }),
  ratio('goodput at 10 × password overload ÷ raw argon2', 'storm', 'raw', 0.75, 0.92),
  ratio('GET /user p99 in that storm ÷ without it', 'userInStorm', 'userPaced', 8, 3, { of: p99 }),
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

/**
 * A ratio of two series of one run, round by round.
 * @param of what of a sample counts: requests a second, of which more are better, unless something is given of which less is
 */
function ratio(
  what: string,
  top: Series,
  bottom: Series,
  gate: number,
  goal: number,
  { of = rate, isRobust = false }: { readonly of?: Reading; readonly isRobust?: boolean } = {},
): Budget {
  return {
    ...{ what, unit: 'ratio', better: of === rate ? 'higher' : 'lower', gate, goal, isRobust },
    measure({ samples }) {
      const [tops, bottoms] = [samples[top], samples[bottom]].map((each = []) =>
        each.map(of).filter((value) => value !== undefined),
      );
      return tops!.length === 0 || tops!.length !== bottoms!.length ? undefined : medianRatio(tops!, bottoms!);
    },
  };
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
