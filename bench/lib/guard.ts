/** `npm run bench -- --guard`: has something become much slower? Cheap enough, and sure enough, for every build. */
import type { BenchArguments } from './arguments.js';
import { type Finding, judge } from './budgets.js';
import type { Measurements } from './measurements.js';
import type { Say } from './run-bench.js';
import { formatNumber } from './table.js';

const TRIES = 2;

/**
 * @param measure makes a run on a new database of that name
 * @returns the exit code: 1 when the wanted part of a gate that other work on the machine hardly moves was missed twice
 */
export async function guardRatios(
  measure: (databaseName: string, wanted: BenchArguments) => Promise<{ readonly measurements: Measurements }>,
  wanted: BenchArguments,
  say: Say,
): Promise<number> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { measurements } = await measure(`guard_${tries}`, {
      ...wanted,
      rounds: 3,
      seconds: 1,
      only: new Set(['refresh', 'password']),
    });
    const findings = judge(measurements).filter(({ budget }) => budget.isRobust);
    for (const finding of findings) say(describe(finding));
    if (findings.every((finding) => reaches(finding, wanted.guardPercent))) return 0;
    if (tries < TRIES) say('once more, since the machine may have been busy');
  }
  return 1;
}

/** Both ratios are better the higher. */
const reaches = ({ budget, value }: Finding, percent: number): boolean =>
  value !== undefined && value >= (budget.gate * percent) / 100;

const describe = ({ budget, value, verdict }: Finding): string =>
  `${budget.what}: ${formatNumber(value)}, gate ${formatNumber(budget.gate)}: ${verdict}`;
