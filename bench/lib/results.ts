/** The files of a bench: bench/results/<name>.json, the chart beside it, and a section of bench/README.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.js';
import { markdownTable, type Table } from './table.js';

/** What a JSON file holds; tables and chart are made of it alone. */
export type Result<Options extends object, Data extends object> = Data & {
  readonly machine: Machine;
  readonly options: Options;
};

export interface Report {
  readonly tables: readonly Table[];
  /** Sentences under the tables, one paragraph each. */
  readonly notes: readonly string[];
  /** SVG text. */
  readonly chart: string;
  /** What the chart shows, for those who cannot see it. */
  readonly chartAlt: string;
}

/** Significant digits kept in JSON. */
const DIGITS = 9;
const MOST_LINE_LENGTH = 1000;

export const printReport = (report: Report): string => `\n${renderBody(report)}\n`;

const renderBody = ({ tables, notes }: Report): string => [...tables.map(markdownTable), ...notes].join('\n\n');

/** @throws when there is no recorded run */
export function readResult<Options extends object, Data extends object>(
  root: string,
  name: string,
): Result<Options, Data> {
  return JSON.parse(readFileSync(join(root, `bench/results/${name}.json`), 'utf8')) as Result<Options, Data>;
}

export function writeResult(root: string, name: string, result: object): void {
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, `bench/results/${name}.json`), `${formatJson(result)}\n`);
}

/** Writes the chart, and the section of bench/README.md between the markers of this bench. */
export function writeReport(root: string, name: string, command: string, report: Report): void {
  writeFileSync(join(root, `bench/results/${name}.svg`), report.chart);
  const readme = join(root, 'bench/README.md');
  writeFileSync(readme, replaceSection(readFileSync(readme, 'utf8'), name, command, renderSection(name, report)));
}

export const renderSection = (name: string, report: Report): string =>
  `![${report.chartAlt}](results/${name}.svg)\n\n${renderBody(report)}`;

/** @throws when the document lacks the markers */
export function replaceSection(document: string, name: string, command: string, section: string): string {
  const [startMarker, endMarker] = [`<!-- ${name}: written by npm run ${command} -->`, `<!-- /${name} -->`];
  const [start, end] = [document.indexOf(startMarker), document.indexOf(endMarker)];
  if (start === -1 || end < start) throw new Error(`bench/README.md lacks the markers ${startMarker} and ${endMarker}`);
  return `${document.slice(0, start + startMarker.length)}\n\n${section}\n\n${document.slice(end)}`;
}

/** JSON with one line for each entry that is short or holds no further lists; numbers lose what is not significant. */
export function formatJson(value: unknown, indent = ''): string {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'number' ? Number(each.toPrecision(DIGITS)) : each));
  if (typeof value !== 'object' || value === null) return text;
  const isFlat = Object.values(value).every((each) => typeof each !== 'object');
  if (isFlat || text.length <= MOST_LINE_LENGTH) return text;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => inner + formatJson(each, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const lines = entries.map(([key, each]) => `${inner}${JSON.stringify(key)}: ${formatJson(each, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
