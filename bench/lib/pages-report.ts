/** Table and chart of `npm run bench:pages`. */
import { drawBars } from './chart.js';
import { describeBriefly, describeRun } from './machine.js';
import type { HostedPages, PageFigures, PagesOptions } from './pages.js';
import type { Report, Result } from './results.js';
import { formatNumber, type Table } from './table.js';

/** What a page may take. */
const MOST = { p99Ms: 5, paintMs: 1000, layoutShift: 0.02, transferredBytes: 25_000 } as const;

const isWithin = (figures: PageFigures): boolean =>
  (Object.keys(MOST) as (keyof typeof MOST)[]).every((name) => (figures[name] ?? 0) <= MOST[name]);

/** @returns which pages take more than they may; undefined: none */
export function findSlowPages({ pages }: Pick<HostedPages, 'pages'>): string | undefined {
  const slow = pages.filter((figures) => !isWithin(figures)).map(({ page }) => `/ui/${page}`);
  return slow.length === 0 ? undefined : `missed its budget: ${slow.join(', ')}`;
}

export function pagesTable(pages: readonly PageFigures[]): Table {
  const rows = pages.map((figures) => [
    `/ui/${figures.page}`,
    formatNumber(figures.p50Ms),
    formatNumber(figures.p99Ms),
    formatNumber(figures.paintMs),
    formatNumber(figures.layoutShift),
    formatNumber(figures.transferredBytes),
    isWithin(figures) ? 'holds' : 'missed',
  ]);
  const most = ['may take', '', '≤ 5', '≤ 1,000', '≤ 0.02', '≤ 25,000', ''];
  const header = ['page', 'server p50 ms', 'server p99 ms', 'LCP ms', 'CLS', 'bytes transferred', 'verdict'];
  return { header, rows: [...rows, most] };
}

export function reportPages({ machine, options, pages, browser }: Result<PagesOptions, HostedPages>): Report {
  const length = `${formatNumber(options.answers)} answers of each page over one connection, ${options.visits} visits by the browser`;
  const bars = (title: string, of: (figures: PageFigures) => number | undefined, unit: string) => ({
    title,
    bars: pages.flatMap((figures) => {
      const value = of(figures);
      return value === undefined ? [] : [{ label: figures.page, value, text: `${formatNumber(value)} ${unit}` }];
    }),
  });
  const groups = [
    bars('Time of the server, 99th percentile', ({ p99Ms }) => p99Ms, 'ms'),
    bars('Largest Contentful Paint, slow phone', ({ paintMs }) => paintMs, 'ms'),
  ];
  return {
    tables: [pagesTable(pages)],
    notes: [describeRun(machine, [browser === undefined ? undefined : `Chromium ${browser}`], length)],
    chart: drawBars(
      'Hosted pages',
      describeBriefly(machine),
      groups.filter(({ bars }) => bars.length > 0),
    ),
    chartAlt: 'How long the server takes for hosted pages, and when a slow phone has drawn them',
  };
}
