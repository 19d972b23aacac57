import t from 'tap';
import { drawBars } from '../../bench/lib/chart.js';
import { chartGroups, describeRun, printRun, replaceBetweenMarkers } from '../../bench/lib/report.js';
import { formatNumber, markdownTable, textTable } from '../../bench/lib/table.js';

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

t.test('columns line up, counting characters and not bytes', async (t) => {
  const table = textTable(
    ['what', 'µs'],
    [
      ['a ÷ b', '7'],
      ['c', '1,000'],
    ],
    ['left', 'right'],
  );
  t.equal(table, ['what      µs', '─────  ─────', 'a ÷ b      7', 'c      1,000'].join('\n'));
});

t.test('a bar in a cell does not end it', async (t) => {
  t.match(markdownTable(['a|b', 'n'], [['x', '1']], ['left', 'right']), '| a\\|b | n |\n|---|--:|\n| x | 1 |');
});

t.test('the chart scales each group by its longest bar and escapes what it writes', async (t) => {
  const svg = drawBars('<Bench> & more', 'today', [
    {
      title: 'pair',
      bars: [
        { label: 'a', value: 50, text: '50/s', isOurs: true },
        { label: 'b', value: 100, text: '100/s', isOurs: false },
      ],
    },
  ]);
  t.match(svg, '&lt;Bench&gt; &amp; more');
  const widths = [...svg.matchAll(/<rect class="(ours|limit)"[^>]* width="([\d.]+)"/g)].map((match) =>
    Number(match[2]),
  );
  t.equal(widths.length, 2);
  t.equal(widths[0]! * 2, widths[1]!);
  const ends = [...svg.matchAll(/<text class="value" x="([\d.]+)"/g)].map((match) => Number(match[1]));
  t.ok(Math.max(...ends) < 760 - 60, 'there is room for the number beside the longest bar');
});

t.test('only what was measured is shown', async (t) => {
  const run = {
    samples: { password: [{ requestsPerSecond: 90, p50Ms: 5, p99Ms: 9 }], raw: [{ requestsPerSecond: 100 }] },
    residentBytes: {},
    sigterm: { runs: 2, badExits: [134], acknowledged: 10, lost: 0 },
  };
  t.same(
    chartGroups(run).map(({ title, bars }) => [title, bars.length]),
    [['Passwords', 2]],
  );
  const text = printRun(run, 'caption');
  t.match(text, /password grant +90\.0 +5\.00 +9\.00 .* 0\.90 of raw argon2/);
  t.notMatch(text, 'GET /health  ');
  t.match(text, /of 2 exits 134 are not 0/);
});

t.test('the section of the README is replaced, however often', async (t) => {
  const document = 'a\n<!-- latest: written by npm run bench -->\nold\n<!-- /latest -->\nz';
  const once = replaceBetweenMarkers(document, 'new $& table');
  t.match(once, 'new $& table');
  t.notMatch(once, 'old');
  t.equal(replaceBetweenMarkers(once, 'new $& table'), once);
  t.throws(() => replaceBetweenMarkers('no markers', 'x'), { message: /markers/ });
});

t.test('a run says where it was made, and when the machine had other things to do', async (t) => {
  const machine = {
    ...{ date: '2026-11-21T12:00:00.000Z', commit: 'abc', cores: 2, cpu: 'CPU', memoryGb: 8, platform: 'linux x64' },
    ...{ node: 'v20', postgres: '18.4', pgbench: undefined, argon2: 'argon2' },
  };
  const wanted = { rounds: 5, seconds: 4, logLevel: 'info' };
  const quiet = describeRun({ ...machine, loadBefore: 0.2 }, wanted);
  t.match(quiet, /^abc, 2026-11-21 12:00 UTC: 2 cores \(CPU\).*no pgbench.*5 rounds of 4 s/);
  t.notMatch(quiet, 'busy');
  t.match(describeRun({ ...machine, loadBefore: 7 }, wanted), /busy with other things \(load 7\.0\)/);
});
