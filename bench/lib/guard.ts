/** `npm run bench -- --guard`: has something become much slower? Quick and reliable enough for every build. */

import { type Finding, judge } from './budgets.js';
import type { Progress } from './command.js';
import type { MainOptions } from './main-options.js';
import type { Measurements } from './series.js';
import { formatNumber } from './table.js';

const TRIES = 2;

/**
 * @param measure makes a run on a new database of that name
 * @returns the last run, and whether it reached the wanted percentage of every robust gate
 */
export async function guardRatios(
  measure: (databaseName: string) => Promise<Measurements>,
  { guardPercent }: Pick<MainOptions, 'guardPercent'>,
  progress: Progress,
): Promise<{ readonly run: Measurements; readonly holds: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const run = await measure(`guard_${tries}`);
    const findings = judge(run).filter(({ budget }) => budget.isRobust);
    for (const finding of findings) progress(describe(finding));
    const holds = findings.every((finding) => reaches(finding, guardPercent));
    if (holds || tries === TRIES) return { run, holds };
    progress('trying again, since the machine may have been busy');
  }
}

/** Of both ratios more is better. */
const reaches = ({ budget, value }: Finding, percent: number): boolean =>
  value !== undefined && value >= (budget.gate * percent) / 100;

const describe = ({ budget, value, verdict }: Finding): string =>
  `${budget.what}: ${formatNumber(value)}, gate ${formatNumber(budget.gate)}: ${verdict}`;
