import { type Budget, budgets, judge, verdictOf } from '../../bench/lib/budgets.js';
import type { Sample } from '../../bench/lib/rig.js';
import type { Measurements } from '../../bench/lib/series.js';
import { t } from '../support/tap.js';

const rates = (...values: number[]): Sample[] => values.map((requestsPerSecond) => ({ requestsPerSecond }));
const empty: Measurements = { samples: {}, residentBytes: {}, tools: {} };
const find = (run: Measurements, words: RegExp) => judge(run).find(({ budget }) => words.test(budget.what))!;

t.test('gate and goal are reached at their bound, in either direction', async (t) => {
  const higher: Pick<Budget, 'better' | 'gate' | 'goal'> = { better: 'higher', gate: 2, goal: 3 };
  t.same(
    [1.99, 2, 3].map((value) => verdictOf(higher, value)),
    ['missed', 'gate', 'goal'],
  );
  const lower: Pick<Budget, 'better' | 'gate' | 'goal'> = { better: 'lower', gate: 20, goal: 10 };
  t.same(
    [20.1, 20, 10].map((value) => verdictOf(lower, value)),
    ['missed', 'gate', 'goal'],
  );
  t.equal(verdictOf(lower, undefined), 'not measured');
  t.equal(verdictOf(higher, Number.NaN), 'not measured');
});

t.test('an empty run meets no budget', async (t) => {
  const findings = judge(empty);
  t.equal(findings.length, budgets.length);
  for (const { verdict } of findings) t.equal(verdict, 'not measured');
});

t.test('a goal is never easier than its gate', async (t) => {
  for (const { what, better, gate, goal } of budgets) t.ok(better === 'higher' ? goal >= gate : goal <= gate, what);
});

t.test('ratios compare what was measured in turns', async (t) => {
  const run: Measurements = {
    samples: { password: rates(90, 45, 90), raw: rates(100, 50, 100), user: rates(40), health: rates(100) },
    residentBytes: { idle: 100e6 },
    tools: {},
  };
  t.match(find(run, /^password/), { value: 0.9, verdict: 'gate' });
  t.match(find(run, /^GET \/user req/), { value: 0.4, verdict: 'missed' });
  t.match(find(run, /memory, idle/), { value: 100, verdict: 'goal' });
});

t.test('of several processes the median decides, and each is named', async (t) => {
  const run: Measurements = {
    samples: { password: rates(70, 85, 81), raw: rates(100, 100, 100) },
    residentBytes: { idle: [100e6, 160e6, 120e6] },
    tools: {},
  };
  t.match(find(run, /^password/), { value: 0.81, ofProcesses: [0.7, 0.85, 0.81], verdict: 'gate' });
  t.match(find(run, /memory, idle/), { value: 120, ofProcesses: [100, 160, 120], verdict: 'gate' });
});

t.test('cost and duration of a refresh are compared with the bare server, round by round', async (t) => {
  const took = (...each: number[]): Sample[] =>
    each.map((server) => ({ requestsPerSecond: 1, p99Ms: server / 10, cpuMicroseconds: { server, generator: 1 } }));
  const run = (refreshBare: Sample[]): Measurements => ({
    samples: { refresh: took(60, 45, 200), refreshBare },
    residentBytes: {},
    tools: {},
  });
  t.match(find(run(took(40, 30, 100)), /^server CPU/), { value: 1.5, verdict: 'gate' });
  t.match(find(run(took(40, 30, 100)), /^refresh p99/), { value: 1.5, verdict: 'gate' });
  t.match(find(run(took(48, 45, 100)), /^server CPU/), { value: 1.25, verdict: 'goal' });
  t.match(find(run(took(39, 29, 90)), /^server CPU/), { verdict: 'missed' });
  t.match(find(run([]), /^server CPU/), { verdict: 'not measured' });
  t.match(find(run(took(40)), /^server CPU/), { verdict: 'not measured' }, 'rounds without a counterpart');
});

t.test('one lost token outweighs every clean exit', async (t) => {
  const outcome = (badExits: number[], lost: number) =>
    find({ ...empty, sigterm: { runs: 10, badExits, acknowledged: 5, lost } }, /SIGTERM/).verdict;
  t.equal(outcome([], 0), 'goal');
  t.equal(outcome([134], 0), 'missed');
  t.equal(outcome([], 1), 'missed');
});

t.test('a comparison with another revision fails past two per cent, on the median of the rounds', async (t) => {
  const verdict = (...refresh: number[]) => {
    const samples = { refresh: rates(...refresh), refreshOther: rates(100, 100, 100) };
    return find({ ...empty, samples }, /^refresh req\/s ÷ the other/).verdict;
  };
  t.equal(verdict(99, 10, 99), 'gate', 'one bad round is noise');
  t.equal(verdict(97, 97, 200), 'missed');
  t.equal(verdict(101, 101, 50), 'goal');
  const samples = { password: rates(94, 94, 200), passwordOther: rates(100, 100, 100) };
  t.equal(find({ ...empty, samples }, /^password req\/s ÷ the other/).verdict, 'missed');
});
