/** `npm run bench:citus`: what a refresh costs on the nodes of a Citus cluster, against one Postgres. */
import { type CitusFigures, type CitusOptions, measureCitus } from './lib/citus.js';
import { describeMissedCitus, reportCitus } from './lib/citus-report.js';
import { type Bench, readCount, runBench } from './lib/command.js';

const bench: Bench<CitusOptions, CitusFigures> = {
  name: 'citus',
  usage: `Starts a coordinator and two workers of an installed Citus, and a server of the same Postgres without it (CITUS_PG_CONFIG: path of
its pg_config, default the one of PATH). Refreshes sessions in the ways below, in turns, and reads the processor time of all Postgres
processes; sign-ins by password and log-outs, too. Writes bench/results/citus.json, bench/results/citus.svg and a section of bench/README.md.

Options:
  --turns N         how often each way is measured, with connections of its own; medians of them decide (5)
  --seconds N       length of one measurement (4)
  --gates           exit with 1 if a gate is missed
`,
  flags: { turns: 'string', seconds: 'string', gates: 'boolean' },
  readOptions: (values) => ({
    turns: readCount(values, 'turns') ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 4),
    gates: values['gates'] === true,
  }),
  limitSeconds: ({ turns, seconds }) => 180 + turns * (10 * seconds + 40),
  measure: measureCitus,
  report: reportCitus,
  findFailure: (figures, { gates }) => (gates ? describeMissedCitus(figures) : undefined),
};

process.exitCode = await runBench(bench);
