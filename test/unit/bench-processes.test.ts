import { recordBudgets } from '../../bench/lib/main-report.js';
import { measureProcesses, summariseRounds } from '../../bench/lib/processes.js';
import type { Measurements } from '../../bench/lib/series.js';
import { t } from '../support/tap.js';

const measured = (process: number): Measurements => ({
  samples: {
    refresh: [{ requestsPerSecond: 1000 * process, p99Ms: process }],
    sixRoundTrips: [{ requestsPerSecond: 1000 }],
  },
  residentBytes: { idle: process * 1e6 },
  ...(process === 1 ? { sigterm: { runs: 10, badExits: [], acknowledged: 5, lost: 0 } } : {}),
  tools: { argon2: 'engine' },
});

t.test('fresh processes are measured one after the other, and all are kept', async (t) => {
  const run = await measureProcesses(3, async (process) => measured(process));
  t.same(
    run.samples.refresh!.map(({ requestsPerSecond }) => requestsPerSecond),
    [1000, 2000, 3000],
  );
  t.same(run.residentBytes, { idle: [1e6, 2e6, 3e6], storm: [] });
  t.match(run, { sigterm: { runs: 10 }, tools: { argon2: 'engine' } });
  t.match(
    recordBudgets(run).find(({ what }) => /six round trips/.test(what)),
    { gate: 2.2, median: 2, processes: [1, 2, 3], verdict: 'missed' },
    'the record has the median and what it is of',
  );
});

t.test('none is measured once what is known decides', async (t) => {
  const run = await measureProcesses(
    5,
    async (process) => measured(process),
    ({ samples }) => samples.refresh!.length === 2,
  );
  t.equal(run.samples.refresh!.length, 2);
});

t.test('a process counts with the median of its rounds', async (t) => {
  const rounds = [5, 1, 3].map((figure) => ({ requestsPerSecond: figure, cpuMicroseconds: { server: 10 * figure } }));
  t.same(summariseRounds({ refresh: rounds, raw: [{ requestsPerSecond: 4, p50Ms: 2 }] }), {
    refresh: [{ requestsPerSecond: 3, cpuMicroseconds: { server: 30 } }],
    raw: [{ requestsPerSecond: 4, p50Ms: 2 }],
  });
});
