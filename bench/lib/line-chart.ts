/** A line chart as SVG text: panels below each other, each on a scale of its own that begins at 0. */
import { frame, MARGIN, text, WIDTH } from './chart.js';

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Panel {
  readonly title: string;
  /** At most three. */
  readonly lines: readonly Line[];
}

const COLORS = ['#1f6feb', '#bf8700', '#6e7781'];
const LEFT = 70;
const RIGHT = 160;
const HEAD = 66;
const PANEL_HEIGHT = 170;
const PANEL_STEP = 240;
const NAME_STEP = 18;
const STYLES = [
  '.left { text-anchor: end }',
  '.below { text-anchor: middle }',
  'polyline { fill: none; stroke-width: 1.5 }',
  '.grid { stroke: #d0d7de }',
];

/** @param xName what the points stand beside, e.g. minutes */
export function drawLines(title: string, subtitle: string, xName: string, panels: readonly Panel[]): string {
  const body = panels.flatMap((panel, at) => drawPanel(panel, HEAD + at * PANEL_STEP + 34, xName));
  return frame(title, subtitle, HEAD + panels.length * PANEL_STEP, STYLES, body);
}

function drawPanel({ title, lines }: Panel, top: number, xName: string): string[] {
  const points = lines.flatMap((line) => line.points);
  const yStep = roundStep(Math.max(1e-9, ...points.map(([, y]) => y)) / 4);
  const yEnd = Math.max(yStep, Math.ceil(Math.max(0, ...points.map(([, y]) => y)) / yStep) * yStep);
  const xEnd = Math.max(1e-9, ...points.map(([x]) => x));
  const bottom = top + PANEL_HEIGHT;
  const xAt = (x: number) => LEFT + (x / xEnd) * (WIDTH - LEFT - RIGHT);
  const yAt = (y: number) => bottom - (y / yEnd) * PANEL_HEIGHT;
  const body = [text(MARGIN, top - 12, 'group', title)];
  for (const y of ticks(yEnd, yStep)) {
    body.push(
      `<line class="grid" x1="${LEFT}" y1="${yAt(y).toFixed(1)}" x2="${WIDTH - RIGHT}" y2="${yAt(y).toFixed(1)}"/>`,
      text(LEFT - 8, yAt(y) + 4, 'left', String(y)),
    );
  }
  const xTicks = ticks(xEnd, roundStep(xEnd / 6));
  for (const x of xTicks) {
    body.push(text(xAt(x), bottom + 18, 'below', x === xTicks.at(-1) ? `${x} ${xName}` : String(x)));
  }
  lines.forEach(({ name, points: own }, at) => {
    const color = COLORS[at % COLORS.length];
    const path = own.map(([x, y]) => `${xAt(x).toFixed(1)},${yAt(y).toFixed(1)}`).join(' ');
    const nameY = top + 12 + at * NAME_STEP;
    body.push(
      `<polyline points="${path}" stroke="${color}"/>`,
      `<line x1="${WIDTH - RIGHT + 12}" y1="${nameY - 4}" x2="${WIDTH - RIGHT + 28}" y2="${nameY - 4}" stroke="${color}" stroke-width="3"/>`,
      text(WIDTH - RIGHT + 34, nameY, 'name', name),
    );
  });
  return body;
}

/** @returns 1, 2 or 5 times a power of ten, at least the given value */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const times = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return Number((times * power).toPrecision(1));
}

/** 0 and every multiple of the step up to the end. */
function ticks(end: number, step: number): number[] {
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, at) => Number((at * step).toPrecision(6)));
}
