/** `npm run bench:pages`: how long the server takes for a hosted page, and when a slow machine shows it or one of the console. */
import { type Bench, readCount, runBench } from './lib/command.js';
import { measurePages, type PagesOptions, type SeenPages } from './lib/pages.js';
import { findSlowPages, reportPages } from './lib/pages-report.js';

const bench: Bench<PagesOptions, SeenPages> = {
  name: 'pages',
  usage: `Asks for hosted pages one after the other over one connection, then opens each, and pages of the console, in Debian's
Chromium with an empty cache over a slow network (1.6 Mbit/s, 150 ms) on a processor slowed four times. Writes bench/results/pages.json,
bench/results/pages.svg and a section of bench/README.md.

Options:
  --answers N       answers of each page (5000)
  --visits N        visits of each page by the browser; medians are reported (7)
`,
  flags: { answers: 'string', visits: 'string' },
  readOptions: (values) => ({
    answers: readCount(values, 'answers', 100, 1_000_000) ?? (values['quick'] ? 200 : 5000),
    visits: readCount(values, 'visits') ?? (values['quick'] ? 1 : 7),
  }),
  limitSeconds: ({ answers, visits }) => 300 + answers / 20 + visits * 60,
  measure: measurePages,
  report: reportPages,
  findFailure: findSlowPages,
};

process.exitCode = await runBench(bench);
