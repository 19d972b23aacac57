/**
 * Shortens tap's raw output: one line for a file that passed, everything for one that did not.
 * @returns a function that takes one line and says what to print, possibly nothing
 */
export function makeBriefer(): (line: string) => readonly string[] {
  let held: string[] = [];
  let isFailing = false;
  return (line) => {
    if (line.startsWith('# Subtest: ')) {
      held = [line];
      isFailing = false;
      return [];
    }
    if (line.startsWith('ok ')) return [line];
    if (line.startsWith('not ok ')) {
      isFailing = true;
      return [...held, line];
    }
    // The rest of the outermost level is the plan and the totals; what is indented belongs to a file.
    if (!line.startsWith(' ')) return [];
    if (isFailing) return [line];
    held.push(line);
    return [];
  };
}

/**
 * tap's own totals, when this is the line that has them: `# { total: 7, pass: 3, fail: 4 }`.
 * @returns undefined for every other line
 */
export function readCounts(line: string): { passed: number; failed: number } | undefined {
  if (!/^# \{ total: \d/.test(line)) return undefined;
  const count = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(line)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') };
}
