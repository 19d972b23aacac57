/** Charts as SVG text. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Written beside the bar. */
  readonly text: string;
  /** Grey: a limit or an earlier state, beside what is measured. */
  readonly isReference?: boolean;
}

/** Bars on a scale of their own. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

type Point = readonly [x: number, y: number];

/** Lines on a scale of their own, which begins at 0. */
export interface Panel {
  readonly title: string;
  /** At most three. */
  readonly lines: readonly { readonly name: string; readonly points: readonly Point[] }[];
}

const [WIDTH, MARGIN, HEAD] = [760, 20, 56];
const [LABEL_WIDTH, TEXT_WIDTH, BAR_HEIGHT, BAR_STEP] = [280, 110, 18, 25];
const [LEFT, RIGHT, PANEL_HEIGHT, PANEL_STEP] = [70, 160, 170, 240];
const COLORS = ['#1f6feb', '#bf8700', '#6e7781'];

/** @param subtitle e.g. the machine and the date */
export function drawBars(title: string, subtitle: string, groups: readonly BarGroup[]): string {
  const body: string[] = [];
  let y = HEAD;
  for (const { title: groupTitle, bars } of groups) {
    y += 34;
    body.push(text(MARGIN, y - 12, groupTitle, 'font-weight="600"'));
    const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    for (const { label, value, text: note, isReference } of bars) {
      const length = (value / most) * (WIDTH - LABEL_WIDTH - TEXT_WIDTH - MARGIN);
      const fill = isReference ? '#afb8c1' : COLORS[0];
      body.push(
        text(LABEL_WIDTH - 10, y + 13, label, 'text-anchor="end"'),
        `<rect fill="${fill}" x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
        text(LABEL_WIDTH + length + 8, y + 13, note),
      );
      y += BAR_STEP;
    }
  }
  return frame(title, subtitle, y + MARGIN, body);
}

/** @param unit of the horizontal axis, e.g. min */
export function drawLines(title: string, subtitle: string, unit: string, panels: readonly Panel[]): string {
  const body = panels.flatMap((panel, at) => drawPanel(panel, HEAD + 44 + at * PANEL_STEP, unit));
  return frame(title, subtitle, HEAD + 10 + panels.length * PANEL_STEP, body);
}

function drawPanel({ title, lines }: Panel, top: number, unit: string): string[] {
  const points = lines.flatMap((line) => line.points);
  const xEnd = Math.max(...points.map(([x]) => x), Number.MIN_VALUE);
  const yStep = roundUp(Math.max(...points.map(([, y]) => y), Number.MIN_VALUE) / 4);
  const yEnd = Math.ceil(Math.max(...points.map(([, y]) => y)) / yStep) * yStep;
  const [right, bottom] = [WIDTH - RIGHT, top + PANEL_HEIGHT];
  const xAt = (x: number) => LEFT + (x / xEnd) * (right - LEFT);
  const yAt = (y: number) => bottom - (y / yEnd) * PANEL_HEIGHT;
  const body = [text(MARGIN, top - 12, title, 'font-weight="600"')];
  for (const y of ticks(yEnd, yStep)) {
    body.push(`<path stroke="#d0d7de" d="M${LEFT} ${yAt(y).toFixed(1)}H${right}"/>`);
    body.push(text(LEFT - 8, yAt(y) + 4, String(y), 'text-anchor="end"'));
  }
  const xTicks = ticks(xEnd, roundUp(xEnd / 6));
  for (const x of xTicks) {
    body.push(text(xAt(x), bottom + 18, x === xTicks.at(-1) ? `${x} ${unit}` : String(x), 'text-anchor="middle"'));
  }
  lines.forEach(({ name, points: own }, at) => {
    const path = own.map(([x, y]) => `${xAt(x).toFixed(1)},${yAt(y).toFixed(1)}`).join(' ');
    body.push(`<polyline fill="none" stroke="${COLORS[at]}" stroke-width="1.5" points="${path}"/>`);
    body.push(text(right + 14, top + 12 + at * 18, name, `fill="${COLORS[at]}"`));
  });
  return body;
}

function frame(title: string, subtitle: string, height: number, body: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" fill="#24292f" role="img" aria-label="${escapeXml(title)}">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${text(MARGIN, 32, title, 'font-size="18" font-weight="600"')}
${text(MARGIN, 52, subtitle, 'fill="#57606a"')}
${body.join('\n')}
</svg>
`;
}

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes === '' ? '' : ` ${attributes}`}>${escapeXml(content)}</text>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (content: string): string => content.replace(/[&<>"]/g, (character) => ENTITIES[character]!);

/** @returns 1, 2 or 5 times a power of ten, at least the given value */
function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return Number((factor * power).toPrecision(1));
}

/** 0 and every multiple of the step up to the end. */
const ticks = (end: number, step: number): number[] =>
  Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, at) => Number((at * step).toPrecision(6)));
