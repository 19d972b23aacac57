/** `npm run bench`. */
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type BenchArguments, parseBenchArguments, usage } from './lib/arguments.js';
import { judge } from './lib/budgets.js';
import { compareRevisions } from './lib/compare.js';
import type { BenchDatabase } from './lib/database.js';
import { guardRatios } from './lib/guard.js';
import { describeMachine } from './lib/machine.js';
import { describeRun, isBusy, printRun, writeRun } from './lib/report.js';
import { runRounds } from './lib/rounds.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [loadBefore = 0] = loadavg();
const say = startSaying();

/** @returns the exit code */
async function measure(wanted: BenchArguments, database: BenchDatabase): Promise<number> {
  if (wanted.compare !== undefined) {
    const { report, isSlower } = await compareRevisions(wanted.compare, root, database, wanted, say);
    process.stdout.write(report);
    return isSlower ? 1 : 0;
  }
  if (wanted.guard) return guardRatios((name, rounds) => runRounds(database, root, rounds, say, name), wanted, say);
  const { measurements, ...tools } = await runRounds(database, root, wanted, say);
  const machine = describeMachine({ loadBefore, postgres: database.version, ...tools }, root);
  process.stdout.write(printRun(measurements, describeRun(machine, wanted)));
  // A part of a run, or a quick one, must not pass for the last real one.
  if (!wanted.quick && wanted.only.size === parseBenchArguments([]).only.size) {
    writeRun(root, measurements, machine, wanted);
    say('wrote bench/results/latest.json, bench/results/latest.svg and bench/README.md');
  }
  const missed = judge(measurements).filter(({ verdict }) => verdict === 'missed');
  if (wanted.gates && missed.length > 0) {
    say(`missed: ${missed.map(({ budget }) => budget.what).join('; ')}`);
    return 1;
  }
  return 0;
}

async function main(): Promise<number> {
  let wanted: BenchArguments;
  try {
    wanted = parseBenchArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (isBusy({ loadBefore, cores: availableParallelism() })) {
    say(`the machine is busy (load ${loadBefore.toFixed(1)}): only ratios will mean anything, and those little`);
  }
  // Bounded even when a server hangs: every step takes its seconds and a few more, and there are less than twenty a round.
  const limitSeconds = 300 + wanted.rounds * 20 * (wanted.seconds + 5);
  return runWithDatabase('bench', say, limitSeconds, (database) => measure(wanted, database));
}

process.exitCode = await main();
