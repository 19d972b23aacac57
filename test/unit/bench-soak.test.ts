import { drawLines } from '../../bench/lib/chart.js';
import { printReport } from '../../bench/lib/results.js';
import type { Readings, Soak } from '../../bench/lib/soak.js';
import { courseOf, latencyTable, reportSoak, soakPanels, soakTable } from '../../bench/lib/soak-report.js';
import { t } from '../support/tap.js';

interface Leak {
  readonly resident?: number;
  readonly handles?: number;
  readonly heapGrowth?: number;
  readonly faults?: number;
}

/** Six samples in each minute: steady, except for a heap that grows until it is collected, and for the leak. */
function run(jobs: number, { resident = 0, handles = 0, heapGrowth = 0, faults = 0 }: Leak = {}): Soak {
  const read = (times: readonly (readonly [minute: number, at: number])[]): Readings => ({
    minute: times.map(([minute, at]) => minute + at / 6),
    residentBytes: times.map(([minute, at]) => 150e6 + resident * (minute + at / 6)),
    heapBytes: times.map(([minute, at]) => 20e6 + at * 4e6 + (minute % 3 === 0 ? 9e6 * at : 0)),
    handles: times.map(([minute]) => 14 + (minute % 2) + handles * minute),
    descriptors: times.map(([, at]) => 50 + at),
  });
  const minutes = Array.from({ length: jobs }, (_, minute) => minute);
  return {
    samples: read(minutes.flatMap((minute) => Array.from({ length: 6 }, (_, at) => [minute, at] as const))),
    atRest: read(minutes.map((minute) => [minute, 0] as const)),
    p99Ms: {
      ...{ refresh: minutes.map((minute) => 8 + minute), user: minutes.map(() => 5) },
      ...{ password: minutes.map(() => 100), signup: minutes.map(() => 90) },
    },
    answers: 15_240 * jobs,
    faults,
    collectedHeap: { start: 20e6, end: 20e6 * (1 + heapGrowth) },
  };
}

const verdicts = (jobs: number, leak?: Leak) => soakTable(run(jobs, leak), jobs).rows.map((row) => row.at(-1));

t.test('a level run holds, however the heap in use varies', async (t) => {
  t.same(soakTable(run(30, { heapGrowth: 0.01 }), 30).rows, [
    ['resident MB', '150', '150', '0', '0 MB/min', '≤ 0.5 MB/min', 'holds'],
    ['heap MB, collected', '20.0', '20.2', '+0.01', '+1.00 %', '≤ 2 %', 'holds'],
    ['handles at rest', '14.0', '15.0', '0.00', '+0.10', '±3', 'holds'],
    ['open descriptors at rest', '50.0', '50.0', '0', '0', '±3', 'holds'],
    ['answers other than 2xx', '', '', '', '0', '0', 'holds'],
  ]);
});

t.test('each leak is found, and so is a bad answer', async (t) => {
  t.same(verdicts(30, { resident: 0.6e6 }), ['missed', 'holds', 'holds', 'holds', 'holds']);
  t.same(verdicts(30, { heapGrowth: 0.021 }), ['holds', 'missed', 'holds', 'holds', 'holds']);
  t.same(verdicts(30, { heapGrowth: -0.3 }), ['holds', 'holds', 'holds', 'holds', 'holds'], 'less is no leak');
  t.same(verdicts(30, { handles: 0.2 }), ['holds', 'holds', 'missed', 'holds', 'holds']);
  t.same(verdicts(30, { handles: -0.2 }), ['holds', 'holds', 'missed', 'holds', 'holds'], 'lost handles, too');
  t.same(verdicts(30, { faults: 1 }), ['holds', 'holds', 'holds', 'holds', 'missed']);
});

t.test('a single minute has no slope to judge', async (t) => {
  const course = courseOf(run(1).samples, 'residentBytes', 1);
  t.match(course, { start: 150e6, end: 150e6, perMinute: undefined, growth: undefined });
  t.same(verdicts(1, { heapGrowth: 0.5 }), ['–', 'missed', '–', '–', 'holds']);
});

t.test('the median and the worst minute of each kind of request', async (t) => {
  t.same(latencyTable(run(3).p99Ms).rows[0], ['refresh grants', '150', '9.00', '10.0']);
});

t.test('the chart has a point for every reading, on a scale from 0', async (t) => {
  const svg = drawLines('soak', 'today', 'min', soakPanels(run(30)));
  const lines = [...svg.matchAll(/points="([^"]+)"/g)].map(([, points]) => points!.split(' '));
  t.same(
    lines.map((points) => points.length),
    [180, 180, 180, 30, 30],
  );
  t.notMatch(svg, /NaN|Infinity|undefined/);
  for (const y of lines.flat().map((point) => Number(point.split(',')[1]))) t.ok(y > 90 && y < 530);
  t.match(svg, '>150</text>', 'the scale of the memory');
  t.match(svg, '>25 min</text>');
});

t.test('the report names machine and length', async (t) => {
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', loadBefore: 0.1 },
  };
  const options = { jobs: 30, warmUpJobs: 4, jobSeconds: 60, sampleSeconds: 10, fills: true };
  const text = printReport(reportSoak({ machine, options, ...run(30) }));
  t.match(text, /open descriptors at rest (?:.*\n)+\| sign-ups .*\n\nabc, 2026-11-21 12:00 UTC: 2 cores /);
  t.match(text, /30 min after 4 min of warm-up.*10 s\.\n$/);
});
