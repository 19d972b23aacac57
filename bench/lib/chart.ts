/** A bar chart as SVG text: groups of bars, each group on a scale of its own. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What stands beside the bar. */
  readonly text: string;
  /** Set apart: what is measured, beside what it is measured against. */
  readonly isOurs: boolean;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export const WIDTH = 760;
export const MARGIN = 20;
const LABEL_WIDTH = 250;
const TEXT_WIDTH = 110;
const BAR_HEIGHT = 18;
const BAR_STEP = 25;
const TITLE_STEP = 34;
const HEAD = 56;

/** @param subtitle e.g. the machine and the date */
export function drawBars(title: string, subtitle: string, groups: readonly BarGroup[]): string {
  const body: string[] = [];
  let y = HEAD;
  for (const group of groups) {
    y += TITLE_STEP;
    body.push(text(MARGIN, y - 12, 'group', group.title));
    const most = Math.max(...group.bars.map(({ value }) => value));
    for (const bar of group.bars) {
      const length = most > 0 ? (bar.value / most) * (WIDTH - LABEL_WIDTH - TEXT_WIDTH - MARGIN) : 0;
      const middle = y + BAR_HEIGHT / 2 + 4;
      body.push(
        text(LABEL_WIDTH - 10, middle, 'label', bar.label),
        `<rect class="${bar.isOurs ? 'ours' : 'limit'}" x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
        text(LABEL_WIDTH + length + 8, middle, 'value', bar.text),
      );
      y += BAR_STEP;
    }
  }
  const styles = ['.label { text-anchor: end }', '.ours { fill: #1f6feb }', '.limit { fill: #afb8c1 }'];
  return frame(title, subtitle, y + MARGIN, styles, body);
}

/** A whole picture: what charts have in common around their own elements. @param styles rules of CSS, a line each */
export function frame(
  title: string,
  subtitle: string,
  height: number,
  styles: readonly string[],
  body: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-size: 18px; font-weight: 600 }
.subtitle { fill: #57606a }
.group { font-weight: 600 }
${styles.join('\n')}
</style>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${text(MARGIN, 32, 'title', title)}
${text(MARGIN, 52, 'subtitle', subtitle)}
${body.join('\n')}
</svg>
`;
}

export function text(x: number, y: number, kind: string, content: string): string {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escapeXml(content)}</text>`;
}

export function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
