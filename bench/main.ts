/** `npm run bench`: this server beside the limits of its machine, and whether it meets its budgets. */
import { join } from 'node:path';
import { withCheckout } from './lib/checkout.js';
import { type Bench, runBench } from './lib/command.js';
import { guardRatios } from './lib/guard.js';
import { allParts, type MainOptions, mainFlags, mainUsage, readMainOptions } from './lib/main-options.js';
import { describeMissed, reportMain } from './lib/main-report.js';
import { runRounds } from './lib/rounds.js';
import type { Measurements } from './lib/series.js';

const bench: Bench<MainOptions, Measurements & { readonly guardHolds?: boolean }> = {
  name: 'main',
  hasClosedLoops: true,
  usage: mainUsage,
  flags: mainFlags,
  readOptions: readMainOptions,
  // A round has fewer than twenty-five measurements; slices take twice their length, other steps some seconds more.
  limitSeconds: ({ rounds, seconds, compare }) => (compare ? 900 : 300) + rounds * 25 * (2 * seconds + 5),
  async measure(run, options) {
    const { compare: ref } = options;
    if (options.guard) {
      const measure = (databaseName: string) => runRounds(run, options, { databaseName });
      const { run: measurements, holds } = await guardRatios(measure, options, run.progress);
      return { ...measurements, guardHolds: holds };
    }
    if (ref === undefined) return runRounds(run, options);
    const directory = join(run.database.directory, 'other');
    run.progress(`checking out and building ${ref}`);
    return withCheckout(ref, run.root, directory, () => runRounds(run, options, { otherRoot: directory }));
  },
  report: reportMain,
  isPartial: ({ only, guard, compare }) => guard || compare !== undefined || only.length < allParts.length,
  findFailure(run, { gates, compare }) {
    if (run.guardHolds !== undefined) return run.guardHolds ? undefined : 'a ratio missed its gate twice';
    return gates || compare !== undefined ? describeMissed(run) : undefined;
  },
};

process.exitCode = await runBench(bench);
