/** Reads what a test file has printed by tap, and what the shell says of its processor time. */
import { SHOWN_BEFORE } from './long-form.js';

/** Reads the last line that tap prints in a file: `# { total: 7, pass: 3, fail: 4 }`. @returns undefined if it is missing */
export function readCounts(output: string): { passed: number; failed: number } | undefined {
  const totals = output.match(/^# \{ total: \d.*$/gm)?.at(-1);
  if (totals === undefined) return undefined;
  const count = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') };
}

/**
 * Reads `ok 3 - title # SKIP reason` at any depth, and the plan of a file without tests: `1..0 # reason`.
 * Those that `npm test` runs are none.
 * @param path of the file. In a shared process it is the title of a test, which says again what the plan says.
 */
export function readSkips(output: string, path: string): string[] {
  const found = [...output.matchAll(/^ *ok \d+ - (.*?) # SKIP(?: (\S.*?))?\s*$/gm)];
  const tests = found.filter(([, title, reason]) => title !== path && reason !== SHOWN_BEFORE);
  const file = /^1\.\.0 # (?:skip )?(\S.*)$/im.exec(output)?.[1];
  return [
    ...tests.map(([, title, reason]) => (reason === undefined ? title! : `${title}: ${reason}`)),
    ...(file === undefined ? [] : [file]),
  ];
}

/** @returns the titles of tests that passed without an assertion, which tap permits */
export function readEmpty(output: string): string[] {
  return [...output.matchAll(/^( *) {4}1\.\.0\n\1ok \d+ - (.*?)(?: # time=.*)?$/gm)].map(([, , title]) => title!);
}

/** Reads what `times` prints: the shell's line, and that of its children, each with the time of user and system. */
export function readCpuSeconds(times: string): number | undefined {
  const parts = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) return undefined;
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
