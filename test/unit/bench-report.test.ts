import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawBars } from '../../bench/lib/chart.js';
import { reportGrowth } from '../../bench/lib/growth-report.js';
import { describeRun } from '../../bench/lib/machine.js';
import { chartGroups, reportMain } from '../../bench/lib/main-report.js';
import { reportOverload } from '../../bench/lib/overload.js';
import { findSlowPages } from '../../bench/lib/pages-report.js';
import { reportProfile } from '../../bench/lib/profile-report.js';
import {
  formatJson,
  printReport,
  type Report,
  readResult,
  renderSection,
  replaceSection,
} from '../../bench/lib/results.js';
import { reportSoak } from '../../bench/lib/soak-report.js';
import { formatNumber, markdownTable } from '../../bench/lib/table.js';
import { t } from '../support/tap.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

t.test('numbers keep three digits and no exponent', async (t) => {
  t.same([0, 0.8666, 4.2, 98.76, 187.6, 25_349.2, 1_234_567].map(formatNumber), [
    '0',
    '0.87',
    '4.20',
    '98.8',
    '188',
    '25,300',
    '1,230,000',
  ]);
  t.equal(formatNumber(undefined), '–');
  t.equal(formatNumber(Number.NaN), '–');
});

t.test('columns line up, in characters and not in bytes, with numbers on the right', async (t) => {
  const rows = [
    ['a ÷ b', '7'],
    ['c', '1,000'],
  ];
  const lines = ['| what  |    µs |', '|-------|------:|', '| a ÷ b |     7 |', '| c     | 1,000 |'];
  t.equal(markdownTable({ header: ['what', 'µs'], rows }), lines.join('\n'));
});

t.test('a pipe in a cell does not end it', async (t) => {
  t.match(
    markdownTable({ header: ['a|b', 'n'], rows: [['x', '1']] }),
    '| a\\|b |   n |\n|------|----:|\n| x    |   1 |',
  );
});

t.test('the chart scales each group by its longest bar and escapes its text', async (t) => {
  const svg = drawBars('<Bench> & more', 'today', [
    {
      title: 'pair',
      bars: [
        { label: 'a', value: 50, text: '50/s' },
        { label: 'b', value: 100, text: '100/s', isReference: true },
      ],
    },
  ]);
  t.match(svg, '&lt;Bench&gt; &amp; more');
  const bars = [...svg.matchAll(/<rect fill="[^"]+" x="(\d+)" y="\d+" width="([\d.]+)"/g)].map(([, x, width]) => ({
    x: Number(x),
    width: Number(width),
  }));
  t.equal(bars.length, 2);
  t.equal(bars[0]!.width * 2, bars[1]!.width);
  for (const { x, width } of bars) t.ok(x + width < 760 - 60, 'there is space for the number beside the longest bar');
});

const machine = {
  ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
  ...{ node: 'v20', postgres: '18.4' },
};

t.test('only what was measured is shown', async (t) => {
  const run = {
    samples: { password: [{ requestsPerSecond: 90, p50Ms: 5, p99Ms: 9 }], raw: [{ requestsPerSecond: 100 }] },
    residentBytes: {},
    sigterm: { runs: 2, badExits: [134], acknowledged: 10, lost: 0 },
    tools: { argon2: 'argon2' },
  };
  t.same(
    chartGroups(run.samples).map(({ title, bars }) => [title, bars.length]),
    [['Passwords', 2]],
  );
  const length = { processes: 5, rounds: 1, seconds: 4, logLevel: 'info' };
  const options = { ...length, sigtermRuns: 2, only: [], gates: false, guard: false, guardPercent: 100 };
  const text = printReport(reportMain({ machine: { ...machine, loadBefore: 0.2 }, options, ...run }));
  t.match(text, /\| password grant +\| +90\.0 \| +5\.00 \| +9\.00 \|.* 0\.90 × raw argon2/);
  t.notMatch(text, '| GET /health ');
  t.notMatch(text, 'other revision');
  t.match(text, /of 2 exits 134 are not 0/);
  t.match(text, /\| budget +\| +median \| +of the processes \|/);
  t.match(
    text,
    /abc, 2026-11-21 12:00 UTC: 2 cores \(CPU\).*no pgbench.*5 processes, each of 1 round of 4 s, log level info\.\n$/,
  );
  const three = [{ requestsPerSecond: 90 }, { requestsPerSecond: 91 }, { requestsPerSecond: 92 }];
  const decided = { ...run, samples: { password: three, raw: three } };
  const early = printReport(
    reportMain({ machine: { ...machine, loadBefore: 0.2 }, options: { ...options, guard: true }, ...decided }),
  );
  t.match(early, 'Median of 3 processes, each of', 'the guard may need fewer than were allowed');
});

t.test('pages that take more than they may fail the bench, and are named', async (t) => {
  const fast = { page: '/ui/sign-in', isConsole: false, p50Ms: 1, p99Ms: 5, bytes: 3000 };
  const seen = { ...fast, page: '/ui/recover', paintMs: 1000, layoutShift: 0.02, transferredBytes: 25_000 };
  t.equal(findSlowPages({ pages: [fast, seen] }), undefined);
  const slow = { ...fast, page: '/ui/sign-up', p99Ms: 5.1 };
  t.equal(findSlowPages({ pages: [fast, slow] }), 'missed its budget: /ui/sign-up');
  for (const more of [{ paintMs: 1001 }, { layoutShift: 0.03 }, { transferredBytes: 25_001 }]) {
    t.equal(findSlowPages({ pages: [fast, { ...seen, ...more }] }), 'missed its budget: /ui/recover');
  }
  const inConsole = { page: 'console /users', isConsole: true, paintMs: 1500, interactiveMs: 1500, blockedMs: 200 };
  t.equal(findSlowPages({ pages: [fast, inConsole] }), undefined, 'a page of the console may take more');
  for (const more of [{ paintMs: 1501 }, { interactiveMs: 1501 }, { blockedMs: 201 }]) {
    t.equal(findSlowPages({ pages: [{ ...inConsole, ...more }] }), 'missed its budget: console /users');
  }
});

t.test('a section of the README is replaced, however often', async (t) => {
  const document = 'a\n<!-- main: written by npm run bench -->\nold\n<!-- /main -->\nz';
  const once = replaceSection(document, 'main', 'bench', 'new $& table');
  t.match(once, 'new $& table');
  t.notMatch(once, 'old');
  t.equal(replaceSection(once, 'main', 'bench', 'new $& table'), once);
  t.throws(() => replaceSection('no markers', 'main', 'bench', 'x'), { message: /markers/ });
});

t.test('a run on a busy machine says so', async (t) => {
  t.notMatch(describeRun({ ...machine, loadBefore: 0.2 }, [], 'A run'), 'busy');
  t.match(
    describeRun({ ...machine, loadBefore: 7 }, [], 'A run'),
    /A run\. The machine was busy with other work \(load 7\.0\)/,
  );
});

t.test('JSON has one line for each entry that is short or flat, and keeps its values', async (t) => {
  const value = {
    a: { b: [1, 2.5], c: undefined },
    list: Array.from({ length: 99 }, () => ({ x: 1 / 3 })),
    flat: [1e7],
  };
  const text = formatJson(value);
  t.equal(text.split('\n').length, 6 + 99);
  t.match(JSON.parse(text), { a: { b: [1, 2.5] }, list: [{ x: 0.333333333 }], flat: [1e7] });
});

const reports = {
  main: reportMain,
  overload: reportOverload,
  soak: reportSoak,
  growth: reportGrowth,
  profile: reportProfile,
};

t.test('README and charts show what the recorded results say', async (t) => {
  const readme = readFileSync(`${root}bench/README.md`, 'utf8');
  for (const [name, report] of Object.entries(reports)) {
    if (!existsSync(`${root}bench/results/${name}.json`)) continue;
    const recorded = (report as (result: object) => Report)(readResult(root, name));
    t.ok(readme.includes(`\n\n${renderSection(name, recorded)}\n\n<!-- /${name} -->`), `${name}: run it with --render`);
    t.equal(readFileSync(`${root}bench/results/${name}.svg`, 'utf8'), recorded.chart);
  }
});
