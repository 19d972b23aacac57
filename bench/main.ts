/** `npm run bench`: this server beside the limits of its machine, and whether it meets its budgets. */
import { join } from 'node:path';
import { withCheckout } from './lib/checkout.js';
import { type Bench, runBench } from './lib/command.js';
import { guardRatios } from './lib/guard.js';
import { allParts, type MainOptions, mainFlags, mainUsage, readMainOptions } from './lib/main-options.js';
import { describeMissed, recordBudgets, reportMain } from './lib/main-report.js';
import { measureProcesses } from './lib/processes.js';
import { runRounds } from './lib/rounds.js';
import type { Measurements } from './lib/series.js';

const bench: Bench<MainOptions, Measurements & { readonly guardHolds?: boolean }> = {
  name: 'main',
  hasClosedLoops: true,
  usage: mainUsage,
  flags: mainFlags,
  readOptions: readMainOptions,
  // A round has fewer than twenty-five measurements, as has the warm-up; slices take twice their length, other steps some
  // seconds more.
  limitSeconds: ({ processes, rounds, seconds, compare }) =>
    (compare ? 900 : 300) + processes * (rounds + 1) * 25 * (2 * seconds + 5),
  async measure(run, options) {
    const { compare: ref } = options;
    if (options.guard) {
      const measure = (databaseName: string, process: number) => runRounds(run, options, { databaseName, process });
      const { run: measurements, holds } = await guardRatios(measure, options, run.progress);
      return { ...measurements, guardHolds: holds };
    }
    const measure = async (otherRoot?: string) => {
      const measurements = await measureProcesses(options.processes, (process) => {
        // What a process leaves behind when it ends does not depend on how it was measured before.
        const only = process === 1 ? options.only : options.only.filter((part) => part !== 'sigterm');
        return runRounds(run, { ...options, only }, { databaseName: `latchkey_${process}`, process, otherRoot });
      });
      return { ...measurements, budgets: recordBudgets(measurements) };
    };
    if (ref === undefined) return measure();
    const directory = join(run.database.directory, 'other');
    run.progress(`checking out and building ${ref}`);
    return withCheckout(ref, run.root, directory, () => measure(directory));
  },
  report: reportMain,
  isPartial: ({ only, guard, compare }) => guard || compare !== undefined || only.length < allParts.length,
  findFailure(run, { gates, compare }) {
    if (run.guardHolds !== undefined) return run.guardHolds ? undefined : 'a ratio missed its gate in most processes';
    return gates || compare !== undefined ? describeMissed(run) : undefined;
  },
};

process.exitCode = await runBench(bench);
