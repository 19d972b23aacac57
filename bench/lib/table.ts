export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NUMERIC = /^(?:[–+−±≤≥-]? ?[\d,.]+.*|–|)$/;

/** Markdown whose columns also line up as plain text. The first column and those with words stand on the left. */
export function markdownTable({ header, rows }: Table): string {
  const quote = (cells: readonly string[]) => cells.map((cell) => cell.replaceAll('|', '\\|'));
  const [head, ...body] = [header, ...rows].map(quote);
  const columns = head!.map((title, column) => ({
    width: Math.max(3, title.length, ...body.map((cells) => cells[column]!.length)),
    isRight: column > 0 && body.every((cells) => NUMERIC.test(cells[column]!)),
  }));
  const line = (cells: readonly string[]) =>
    `| ${columns.map(({ width, isRight }, at) => (isRight ? cells[at]!.padStart(width) : cells[at]!.padEnd(width))).join(' | ')} |`;
  const rule = columns.map(({ width, isRight }) => `${'-'.repeat(width + (isRight ? 1 : 2))}${isRight ? ':' : ''}`);
  return [line(head!), `|${rule.join('|')}|`, ...body.map(line)].join('\n');
}

/** Three significant digits, no exponent, thousands separated: `25,300`, `4.21`, `0.87`; `–` for no number. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { minimumFractionDigits: Math.min(digits, 2), maximumFractionDigits: 2 });
}

/** With its sign, unless it is shown as 0. */
export function formatSigned(value: number | undefined): string {
  const text = formatNumber(value === undefined ? undefined : Math.abs(value));
  return value === undefined || !/[1-9]/.test(text) ? text : `${value > 0 ? '+' : '−'}${text}`;
}

/** A ratio as a change: `+4.0 %`, `−6.0 %`. */
export const formatChange = (ratio: number): string =>
  `${ratio >= 1 ? '+' : '−'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;
