import type { MirrorProcess } from '../../bench/lib/app-schema.js';
import { describeMissedMirror, judgeMirror, reportMirror } from '../../bench/lib/app-schema-report.js';
import { printReport } from '../../bench/lib/results.js';
import { t } from '../support/tap.js';

const rates = (off: number, on: number) => ({
  off: { requestsPerSecond: off, p99Ms: 5, cpuMicroseconds: { server: 50, database: 25 } },
  on: { requestsPerSecond: on, p99Ms: 6 },
  profile: { requestsPerSecond: on / 2 },
});
const cost = (signUps: readonly [number, number], importOn = 12): MirrorProcess => ({
  samples: { signup: rates(...signUps), refresh: rates(1000, 1000), user: rates(2000, 1970) },
  importSeconds: { off: 10, on: importOn },
});
const machine = {
  ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
  ...{ node: 'v20', postgres: '18.4', loadBefore: 0 },
};

t.test('the median of the ratios of the processes decides', async (t) => {
  const costs = [cost([100, 95]), cost([50, 40], 16), cost([100, 92])];
  t.match(judgeMirror(costs), [
    { value: 0.92, verdict: 'gate' },
    { value: 1, verdict: 'goal' },
    { value: 0.985, verdict: 'gate' },
    { value: 1.2, verdict: 'goal' },
  ]);
  t.equal(describeMissedMirror({ costs }), undefined);
  t.equal(
    describeMissedMirror({ costs: [cost([100, 80], 16)] }),
    'missed: POST /signup req/s, on ÷ off; time of the import, on ÷ off',
  );
});

t.test('a run without an import has no figure of one', async (t) => {
  const { samples } = cost([100, 95]);
  t.match(judgeMirror([{ samples }])[3], { value: undefined, verdict: 'not measured' });
  const options = { processes: 1, seconds: 4, users: 0, gates: false };
  t.notMatch(printReport(reportMirror({ machine, options, costs: [{ samples }] })), /[Ii]mport/);
});

t.test('the report has a row for each side, and its share of the first', async (t) => {
  const options = { processes: 1, seconds: 4, users: 100_000, gates: true };
  const report = reportMirror({ machine, options, costs: [cost([100, 95])] });
  const text = printReport(report);
  t.match(text, /\| POST \/signup +\| on +\| +95\.0 \| +6\.00 \| +– \| +– \| +0\.95 \|/);
  t.match(text, /\| time of the import, on ÷ off +\| +1\.20 \| ≤ 1\.50 \| ≤ 1\.20 \| goal/);
  t.match(text, /Import of 100,000 users: 10\.0 s without the schema, 12\.0 s with it\./);
  t.match(report.chart, /on, a trigger fills a profile/);
});
