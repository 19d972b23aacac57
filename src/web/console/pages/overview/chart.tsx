/** Lines or bars over days, drawn by uPlot, with a table of the same numbers. The only file that imports uPlot. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../../core/preferences.js';

export interface ChartLine {
  readonly label: string;
  readonly counts: readonly number[];
  /** A page that lists what was counted. */
  readonly link: string;
  readonly tone: 'accent' | 'ok' | 'warn' | 'danger' | 'muted';
}

interface ChartProps {
  readonly title: string;
  /** As 2026-01-31, UTC. */
  readonly days: readonly string[];
  readonly lines: readonly ChartLine[];
}

const HEIGHT = 180;
const sumOf = ({ counts }: ChartLine): number => counts.reduce((sum, count) => sum + count, 0);

export function Chart({ title, days, lines }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  // Days and lines are made anew with each answer.
  const key = JSON.stringify([days, lines.map(({ label, counts }) => [label, counts])]);
  const shownTheme = theme.value;
  useEffect(() => {
    const element = box.current!;
    const plot = draw(element, days, lines);
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    sizes.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => plot.redraw(false);
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      sizes.disconnect();
      plot.destroy();
    };
  }, [key, shownTheme]);
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {lines.map((line) => (
            <li key={line.label} class={line.tone}>
              <a href={line.link}>{line.label}</a> {sumOf(line).toLocaleString('en')}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${title} by day; the table below has the numbers`} />
      <details>
        <summary>As a table</summary>
        <table class="list numbers" aria-label={`${title} by day`}>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {lines.map(({ label }) => (
                <th key={label} scope="col" class="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, at) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {lines.map(({ label, counts }) => (
                  <td key={label} class="end">
                    {counts[at]!.toLocaleString('en')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** A colour of the theme as the canvas takes it: resolved by an element that has it. */
function colour(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.className = `tone-${name}`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function draw(element: HTMLDivElement, days: readonly string[], lines: readonly ChartLine[]): uPlot {
  const axis = { stroke: () => colour(element, 'muted'), grid: { stroke: () => colour(element, 'line'), width: 1 } };
  const options: uPlot.Options = {
    width: element.clientWidth || 320,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, (max ?? 0) * 1.1)] } },
    axes: [
      { ...axis, ticks: { show: false }, size: 28, values: (_plot, splits) => splits.map(dayOf) },
      {
        ...axis,
        ticks: { show: false },
        size: 52,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
      },
    ],
    series: [
      {},
      ...lines.map(({ label, tone }) => ({
        label,
        stroke: () => colour(element, tone),
        width: 2,
        points: { show: days.length < 15, size: 5 },
      })),
    ],
  };
  const seconds = days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
  return new uPlot(options, [seconds, ...lines.map(({ counts }) => [...counts])], element);
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = (seconds: number): string => dayFormat.format(new Date(seconds * 1000));
