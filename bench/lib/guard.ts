/** `npm run bench -- --guard`: has something become much slower? Quick and reliable enough for every build. */

import { type Finding, judge } from './budgets.js';
import type { Progress } from './command.js';
import type { MainOptions } from './main-options.js';
import { measureProcesses } from './processes.js';
import type { Measurements } from './series.js';
import { formatNumber } from './table.js';

/**
 * @param measure measures fresh processes on a new database of that name
 * @returns all that was measured, and whether the median of the processes reaches the wanted percentage of every robust gate.
 * Measures no further process once that is certain: when more than half of all reach every gate, or miss one.
 */
export async function guardRatios(
  measure: (databaseName: string, process: number) => Promise<Measurements>,
  { guardPercent, processes }: Pick<MainOptions, 'guardPercent' | 'processes'>,
  progress: Progress,
): Promise<{ readonly run: Measurements; readonly holds: boolean }> {
  const needed = Math.floor(processes / 2) + 1;
  const robust = (run: Measurements) => judge(run).filter(({ budget }) => budget.isRobust);
  const reaching = (finding: Finding) => finding.ofProcesses.filter((value) => reaches(finding, value, guardPercent));
  const holds = (run: Measurements) => robust(run).every((finding) => reaching(finding).length >= needed);
  const fails = (run: Measurements) =>
    robust(run).some((finding) => finding.ofProcesses.length - reaching(finding).length >= needed);
  const run = await measureProcesses(
    processes,
    (process) => measure(`guard_${process}`, process),
    (measured) => holds(measured) || fails(measured),
  );
  for (const finding of robust(run)) progress(describe(finding));
  return { run, holds: holds(run) };
}

/** Of both ratios more is better. */
const reaches = ({ budget }: Finding, value: number, percent: number): boolean =>
  value >= (budget.gate * percent) / 100;

const describe = ({ budget, value, ofProcesses, verdict }: Finding): string =>
  `${budget.what}: ${formatNumber(value)} (${ofProcesses.map(formatNumber).join(', ')}), gate ${formatNumber(budget.gate)}: ${verdict}`;
