import { parseSetting } from '../../server/config/load.js';
import { allSettings, mainNameOf, type Setting } from '../../server/config/settings.js';

/** `<!-- AUTH_JWT_EXP -->1 h<!-- / -->`: the text between the markers is the default of that setting, written by `npm run docs`. */
const FIGURE = /(<!-- ([A-Z][A-Z0-9_]+) -->)[^<]*(<!-- \/ -->)/g;

/**
 * Writes the defaults of settings into prose, so that each figure has one source.
 * @throws when a marker names no setting, or one without a figure
 */
export function insertFigures(text: string): string {
  return text.replace(FIGURE, (_, begin: string, name: string, end: string) => `${begin}${figureOf(name)}${end}`);
}

/** The same text without its figures. */
export const withoutFigures = (text: string): string => text.replace(FIGURE, '');

/** Settings whose default is a figure, by name. */
export const figures: ReadonlyMap<string, string> = new Map(
  allSettings.flatMap(({ setting }) => {
    const figure = renderFigure(setting);
    return figure === null ? [] : [[mainNameOf(setting), figure] as const];
  }),
);

function figureOf(name: string): string {
  const figure = figures.get(name);
  if (figure === undefined) throw new Error(`${name} is no setting whose default is a figure`);
  return figure;
}

/** For a setting without a value, the meaning that its description gives: `unset: one for each core`. */
function renderFigure(setting: Setting): string | null {
  if (setting.default === undefined) return null;
  if (setting.default === null) return /; unset: ([^.]*\d[^.]*|[^.]*\bcores\b[^.]*)\./.exec(setting.doc)?.[1] ?? null;
  const parsed = parseSetting(setting, setting.default);
  if (!('value' in parsed)) return null;
  const { value } = parsed;
  if (setting.kind === 'duration') return renderDuration(value as number);
  if (setting.kind === 'rate') return String((value as { count: number }).count);
  if (setting.kind !== 'int') return null;
  return setting.variable.endsWith('_KIB') ? `${(value as number) / 1024} MiB` : String(value);
}

function renderDuration(seconds: number): string {
  if (seconds !== 0 && seconds % 3600 === 0) return `${seconds / 3600} h`;
  if (seconds !== 0 && seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}
