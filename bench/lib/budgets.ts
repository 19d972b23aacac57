/** The budgets of the server, and how a run met them. */
import type { Sample } from './rig.js';
import type { Measurements, Series } from './series.js';
import { middle, ratiosOf } from './statistics.js';

export interface Budget<Run = Measurements> {
  readonly what: string;
  readonly unit: '' | 'MB' | 'ms' | 's';
  readonly better: 'higher' | 'lower';
  /** Must hold. */
  readonly gate: number;
  /** What we aim for. */
  readonly goal: number;
  /** Other work on the machine affects both sides alike, so that a build may fail on it. */
  readonly isRobust: boolean;
  /** @returns a value for each process; none when the run has not measured it */
  measure(run: Run): readonly number[];
}

export type Verdict = 'goal' | 'gate' | 'missed' | 'not measured';

export interface Finding<Run = Measurements> {
  readonly budget: Budget<Run>;
  /** The median of the processes, which decides. */
  readonly value: number | undefined;
  readonly ofProcesses: readonly number[];
  readonly verdict: Verdict;
}

type Figure = (sample: Sample) => number | undefined;

const rate: Figure = ({ requestsPerSecond }) => requestsPerSecond;
const p99: Figure = ({ p99Ms }) => p99Ms;
const serverCpu: Figure = ({ cpuMicroseconds }) => cpuMicroseconds?.server;

export const budgets: readonly Budget[] = [
  ratio('refresh req/s ÷ pgbench of the same statement, 8 clients', 'refresh', 'refreshDirect', 0.75, 1.5),
  ratio('refresh req/s ÷ six round trips, 8 clients', 'refresh', 'sixRoundTrips', 2.2, 4, { isRobust: true }),
  ratio('refresh p99 ÷ that of the bare server', 'refresh', 'refreshBare', 2, 1.3, { of: p99 }),
  ratio('server CPU per refresh ÷ that of the bare server', 'refresh', 'refreshBare', 1.5, 1.25, { of: serverCpu }),
  ratio('refresh p99 with a token hook of 200 ms in the cache ÷ without', 'refreshHook', 'refresh', 2, 1.3, {
    of: p99,
  }),
  ratio('/oauth/token refresh req/s ÷ /token refresh req/s', 'refreshOauth', 'refresh', 0.9, 1),
  ratio(
    'refresh req/s while ten consoles follow the activity ÷ without',
    'refreshWatched',
    'refreshUnwatched',
    0.98,
    1,
  ),
  ratio('refresh req/s, signed in the pool ÷ signed inline', 'refresh', 'refreshInline', 0.9, 1),
  ratio('password req/s ÷ raw argon2', 'password', 'raw', 0.8, 0.95, { isRobust: true }),
  ratio('goodput at 10 × password overload ÷ raw argon2', 'storm', 'raw', 0.75, 0.92),
  ratio('GET /user p99 during the overload ÷ without it', 'userInStorm', 'userPaced', 8, 3, { of: p99 }),
  ratio('GET /user req/s ÷ GET /health req/s', 'user', 'health', 0.45, 0.65),
  ratio('refresh req/s ÷ the other revision', 'refresh', 'refreshOther', 0.98, 1),
  ratio('GET /user req/s ÷ the other revision', 'user', 'userOther', 0.98, 1),
  ratio('password req/s ÷ the other revision', 'password', 'passwordOther', 0.95, 1),
  memory('resident memory, idle', 'idle', 150, 110),
  memory('resident memory during the overload', 'storm', 220, 170),
  {
    ...{ what: 'SIGTERM in the storm: exit 0, nothing lost', unit: '', better: 'higher', gate: 1, goal: 1 },
    isRobust: false,
    measure: ({ sigterm }) =>
      sigterm ? [sigterm.lost > 0 ? 0 : (sigterm.runs - sigterm.badExits.length) / sigterm.runs] : [],
  },
];

/**
 * The ratio of two series.
 * @param of the figure that is compared: requests per second, where more is better, or one where less is better
 */
function ratio(
  what: string,
  top: Series,
  bottom: Series,
  gate: number,
  goal: number,
  { of = rate, isRobust = false }: { readonly of?: Figure; readonly isRobust?: boolean } = {},
): Budget {
  return {
    ...{ what, unit: '', better: of === rate ? 'higher' : 'lower', gate, goal, isRobust },
    measure: ({ samples }) => ratiosOf((samples[top] ?? []).map(of), (samples[bottom] ?? []).map(of)),
  };
}

function memory(what: string, when: 'idle' | 'storm', gate: number, goal: number): Budget {
  const measure: Budget['measure'] = ({ residentBytes: { [when]: bytes = [] } }) => [bytes].flat().map((n) => n / 1e6);
  return { what, unit: 'MB', better: 'lower', gate, goal, isRobust: false, measure };
}

/** Compares a run with the budgets. */
export const judge = (run: Measurements): Finding[] => judgeBy(budgets, run);

export const judgeBy = <Run>(budgets: readonly Budget<Run>[], run: Run): Finding<Run>[] =>
  budgets.map((budget) => {
    const ofProcesses = budget.measure(run);
    const value = middle(ofProcesses);
    return { budget, value, ofProcesses, verdict: verdictOf(budget, value) };
  });

/** What missed its gate. */
export function describeMisses(findings: readonly Finding<never>[]): string | undefined {
  const missed = findings.filter(({ verdict }) => verdict === 'missed');
  return missed.length === 0 ? undefined : `missed: ${missed.map(({ budget }) => budget.what).join('; ')}`;
}

export function verdictOf(budget: Pick<Budget, 'better' | 'gate' | 'goal'>, value: number | undefined): Verdict {
  if (value === undefined || Number.isNaN(value)) return 'not measured';
  const reaches = (bound: number) => (budget.better === 'higher' ? value >= bound : value <= bound);
  if (reaches(budget.goal)) return 'goal';
  return reaches(budget.gate) ? 'gate' : 'missed';
}
