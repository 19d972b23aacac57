import t from 'tap';
import { drawLines } from '../../bench/lib/line-chart.js';
import { courseOf, describeSoak, latencyRows, printSoak, soakPanels, soakRows } from '../../bench/lib/soak-report.js';
import type { Soak, SoakMinute } from '../../bench/lib/soak-rounds.js';

/** Six samples in each of so many minutes: steady, but for a heap that climbs and is collected, and what is given. */
function run(count: number, leak: { resident?: number; handles?: number } = {}): SoakMinute[] {
  const sample = (minute: number, at: number) => ({
    minute: minute + at / 6,
    residentBytes: 150e6 + (leak.resident ?? 0) * (minute + at / 6),
    heapBytes: 20e6 + at * 4e6 + (minute % 3 === 0 ? 9e6 * at : 0),
    handles: 14 + (minute % 2) + (leak.handles ?? 0) * minute,
    descriptors: 50 + at,
  });
  return Array.from({ length: count }, (_, minute) => ({
    samples: Array.from({ length: 6 }, (_, at) => sample(minute, at)),
    atRest: sample(minute, 0),
    p99Ms: { refresh: 8 + minute, user: 5, password: 100, signup: 90 },
    answers: 15_240,
    faults: 0,
  }));
}

const soak = (minutes: readonly SoakMinute[], heapGrowth = 0): Soak => {
  return { minutes, collectedHeap: { start: 20e6, end: 20e6 * (1 + heapGrowth) } };
};
const verdicts = (minutes: readonly SoakMinute[], heapGrowth?: number) =>
  soakRows(soak(minutes, heapGrowth)).map((row) => row.at(-1));

t.test('what stays level holds, however the heap saws', async (t) => {
  t.same(soakRows(soak(run(30), 0.01)), [
    ['resident MB', '150', '150', '0', '0 MB/min', '≤ 0.5 MB/min', 'holds'],
    ['heap MB, collected', '20.0', '20.2', '+0.01', '+1.00 %', '≤ 2 %', 'holds'],
    ['handles at rest', '14.0', '15.0', '0.00', '+0.10', '±3', 'holds'],
    ['open descriptors at rest', '50.0', '50.0', '0', '0', '±3', 'holds'],
    ['answers other than 2xx', '', '', '', '0', '0', 'holds'],
  ]);
});

t.test('each leak is found, and so is a bad answer', async (t) => {
  t.same(verdicts(run(30, { resident: 0.6e6 })), ['missed', 'holds', 'holds', 'holds', 'holds']);
  t.same(verdicts(run(30), 0.021), ['holds', 'missed', 'holds', 'holds', 'holds']);
  t.same(verdicts(run(30), -0.3), ['holds', 'holds', 'holds', 'holds', 'holds'], 'less is no leak');
  t.same(verdicts(run(30, { handles: 0.2 })), ['holds', 'holds', 'missed', 'holds', 'holds']);
  t.same(verdicts(run(30, { handles: -0.2 })), ['holds', 'holds', 'missed', 'holds', 'holds'], 'lost ones too');
  const [first, ...others] = run(30);
  t.same(verdicts([{ ...first!, faults: 1 }, ...others]).at(-1), 'missed');
});

t.test('a single minute has no slope to be judged by', async (t) => {
  t.match(courseOf(run(1), 'residentBytes'), { start: 150e6, end: 150e6, perMinute: undefined, growth: undefined });
  t.same(verdicts(run(1), 0.5), ['–', 'missed', '–', '–', 'holds']);
});

t.test('the middle and the worst minute of each kind of request', async (t) => {
  t.same(latencyRows(run(3))[0], ['refresh grants', '150', '9.00', '10.0']);
  t.match(printSoak(soak(run(3)), 'caption'), /open descriptors at rest (?:.*\n)+sign-ups .*\n\ncaption\n$/);
});

t.test('the chart has a point for every sample and rest, on a scale from 0', async (t) => {
  const svg = drawLines('soak', 'today', 'min', soakPanels(run(30)));
  const lines = [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points]) => points!.split(' '));
  t.same(
    lines.map((points) => points.length),
    [180, 180, 180, 30, 30],
  );
  t.notMatch(svg, /NaN|Infinity|undefined/);
  for (const y of lines.flat().map((point) => Number(point.split(',')[1]))) t.ok(y > 90 && y < 530);
  t.match(svg, '>150</text>', 'the scale of the memory');
  t.match(svg, '>25 min</text>');
});

t.test('it says where, how long and after what it was run', async (t) => {
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', pgbench: undefined, argon2: undefined, loadBefore: 0.1 },
  };
  const wanted = { root: '', jobs: 30, warmUpJobs: 4, jobSeconds: 60, sampleSeconds: 10, fills: true };
  t.match(
    describeSoak(machine, wanted),
    /^abc, 2026-11-21 12:00 UTC: 2 cores .*30 min after 4 min of warm-up.*10 s\.$/,
  );
});
