export type Align = 'left' | 'right';

/** Cells as plain text in aligned columns. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[], aligns: Align[]): string {
  const widths = header.map((title, column) => Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const blanks = ' '.repeat(widths[column]! - width(cell));
        return aligns[column] === 'right' ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((each) => '─'.repeat(each)).join('  '), ...rows.map(line)].join('\n');
}

/** The same as Markdown. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  aligns: Align[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${aligns.map((align) => (align === 'right' ? '--:' : '---')).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

const width = (text: string): number => [...text].length;

/** Three significant digits, no exponent, thousands set apart: `25,300`, `4.21`, `0.87`. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { minimumFractionDigits: Math.min(digits, 2), maximumFractionDigits: 2 });
}

/** A ratio as what it adds or takes: `+4.0 %`, `−6.0 %`. */
export const formatChange = (ratio: number): string =>
  `${ratio >= 1 ? '+' : '−'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`;
