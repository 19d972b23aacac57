/** Table and chart of `npm run bench:pages`. */
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import type { PageFigures, PagesOptions, SeenPages } from './pages.js';
import type { Report, Result } from './results.js';
import { formatNumber, type Table } from './table.js';

type Figure = 'p99Ms' | 'paintMs' | 'interactiveMs' | 'blockedMs' | 'layoutShift' | 'transferredBytes';
type Budget = Readonly<Partial<Record<Figure, number>>>;

/** What a hosted page may take, and a page of the console with all that the console loads at first. */
const HOSTED: Budget = { p99Ms: 5, paintMs: 1000, layoutShift: 0.02, transferredBytes: 25_000 };
const CONSOLE: Budget = {
  paintMs: 1500,
  interactiveMs: 1500,
  blockedMs: 200,
  layoutShift: 0.02,
  transferredBytes: 85_000,
};
const FIGURES: readonly Figure[] = [
  'p99Ms',
  'paintMs',
  'interactiveMs',
  'blockedMs',
  'layoutShift',
  'transferredBytes',
];

const isWithin = (figures: PageFigures): boolean =>
  Object.entries(figures.isConsole ? CONSOLE : HOSTED).every(([name, most]) => (figures[name as Figure] ?? 0) <= most);

/** @returns which pages take more than they may; undefined: none */
export function findSlowPages({ pages }: Pick<SeenPages, 'pages'>): string | undefined {
  const slow = pages.filter((figures) => !isWithin(figures)).map(({ page }) => page);
  return slow.length === 0 ? undefined : `missed its budget: ${slow.join(', ')}`;
}

export function pagesTable(pages: readonly PageFigures[]): Table {
  const rows = pages.map((figures) => [
    figures.page,
    formatNumber(figures.p50Ms),
    ...FIGURES.map((name) => formatNumber(figures[name])),
    isWithin(figures) ? 'holds' : 'missed',
  ]);
  const most = (title: string, budget: Budget) => [
    title,
    '',
    ...FIGURES.map((name) => (budget[name] === undefined ? '' : `≤ ${budget[name].toLocaleString('en-US')}`)),
    '',
  ];
  const header = ['page', 'server p50 ms', 'server p99 ms', 'LCP ms', 'interactive ms', 'TBT ms', 'CLS'];
  return {
    header: [...header, 'bytes transferred', 'verdict'],
    rows: [...rows, most('a hosted page may take', HOSTED), most('a page of the console', CONSOLE)],
  };
}

export function reportPages({ machine, options, pages, browser }: Result<PagesOptions, SeenPages>): Report {
  const length = `${formatNumber(options.answers)} answers of each hosted page over one connection, ${options.visits} visits by the browser`;
  const bars = (title: string, of: (figures: PageFigures) => number | undefined, unit: string) => ({
    title,
    bars: pages.flatMap((figures) => {
      const value = of(figures);
      return value === undefined ? [] : [{ label: figures.page, value, text: `${formatNumber(value)} ${unit}` }];
    }),
  });
  const groups = [
    bars('Time of the server, 99th percentile', ({ p99Ms }) => p99Ms, 'ms'),
    bars('Largest Contentful Paint, slow machine', ({ paintMs }) => paintMs, 'ms'),
  ];
  return {
    tables: [pagesTable(pages)],
    notes: [describeRun(machine, [browser === undefined ? undefined : `Chromium ${browser}`], length)],
    chart: drawBars(
      'Hosted pages and console',
      describeBriefly(machine),
      groups.filter(({ bars }) => bars.length > 0),
    ),
    chartAlt:
      'How long the server takes for hosted pages, and when a slow machine has drawn them and those of the console',
  };
}
