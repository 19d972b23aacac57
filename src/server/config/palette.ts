/** The colours of the hosted pages, and their contrast. */

/** Role → default colour in light and in dark mode. */
export const palette = {
  background: ['#f3f4f6', '#0d1117'],
  surface: ['#ffffff', '#161b22'],
  text: ['#1b1f24', '#e6edf3'],
  muted: ['#57606a', '#9aa4af'],
  border: ['#818a93', '#6e7681'],
  accent: ['#1d56e0', '#7aa2ff'],
  'on-accent': ['#ffffff', '#0d1117'],
  danger: ['#b42318', '#ff8a80'],
} as const;

export type ColorRole = keyof typeof palette;
export type Colors = Readonly<Record<ColorRole, string>>;

const HEX_COLOR = /^#[0-9a-f]{6}$/i;

/** WCAG 2.2, 1.4.3: text. */
const TEXT_CONTRAST = 4.5;
/** WCAG 2.2, 1.4.11: the border of a field. */
const BORDER_CONTRAST = 3;

/** Pairs that are seen on each other. */
const pairs: readonly (readonly [front: ColorRole, back: ColorRole, contrast: number])[] = [
  ['text', 'background', TEXT_CONTRAST],
  ['text', 'surface', TEXT_CONTRAST],
  ['muted', 'background', TEXT_CONTRAST],
  ['muted', 'surface', TEXT_CONTRAST],
  ['accent', 'background', TEXT_CONTRAST],
  ['accent', 'surface', TEXT_CONTRAST],
  ['on-accent', 'accent', TEXT_CONTRAST],
  ['danger', 'surface', TEXT_CONTRAST],
  ['border', 'surface', BORDER_CONTRAST],
];

/** The colours with the defaults of a mode. */
export function completeColors(given: Readonly<Record<string, string>>, mode: 'light' | 'dark'): Colors {
  const defaults = Object.entries(palette).map(([role, [light, dark]]) => [role, mode === 'light' ? light : dark]);
  return { ...(Object.fromEntries(defaults) as Colors), ...given };
}

/** @returns what is wrong with the colours of a mode, to follow the name of the setting; null: nothing */
export function findColorFault(given: Readonly<Record<string, string>>, mode: 'light' | 'dark'): string | null {
  const roles = Object.keys(palette);
  if (!Object.keys(given).every((role) => roles.includes(role))) return `may name only ${roles.join(', ')}`;
  if (!Object.values(given).every((color) => HEX_COLOR.test(color))) return 'must have colours such as #1d56e0';
  const colors = completeColors(given, mode);
  for (const [front, back, needed] of pairs) {
    const contrast = contrastOf(colors[front], colors[back]);
    if (contrast < needed) {
      return `leaves a contrast of ${contrast.toFixed(2)} between ${front} and ${back}, which needs ${needed}`;
    }
  }
  return null;
}

/** Contrast ratio of two colours (WCAG 2.2), 1 to 21. @param a, b such as #1d56e0 */
export function contrastOf(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminanceOf(a), luminanceOf(b)].sort((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
