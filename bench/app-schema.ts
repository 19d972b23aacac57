/** `npm run bench:app-schema`: what the schema of an application costs (AUTH_DB_APP_SCHEMA). */
import { type MirrorCosts, type MirrorOptions, measureMirror } from './lib/app-schema.js';
import { describeMissedMirror, reportMirror } from './lib/app-schema-report.js';
import { type Bench, readCount, runBench } from './lib/command.js';

const bench: Bench<MirrorOptions, MirrorCosts> = {
  name: 'app-schema',
  hasClosedLoops: true,
  usage: `Measures sign-ups, refresh grants and GET /user of three servers in turns: without a schema for applications, with one, and with
one whose trigger fills a profile. Then it imports a file of users into a fresh database without and with the schema. Writes
bench/results/app-schema.json, bench/results/app-schema.svg and a section of bench/README.md.

Options:
  --processes N     how often all servers and databases are made anew; medians of them decide (5)
  --seconds N       length of one measurement (4)
  --users N         users of the import (100000); 0: no import
  --gates           exit with 1 if a gate is missed
`,
  flags: { processes: 'string', seconds: 'string', users: 'string', gates: 'boolean' },
  readOptions: (values) => ({
    processes: readCount(values, 'processes') ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 4),
    users: readCount(values, 'users', 0, 10_000_000) ?? (values['quick'] ? 1000 : 100_000),
    gates: values['gates'] === true,
  }),
  limitSeconds: ({ processes, seconds, users }) => 300 + processes * (9 * (3 * seconds + 20) + users / 100),
  measure: measureMirror,
  report: reportMirror,
  findFailure: (costs, { gates }) => (gates ? describeMissedMirror(costs) : undefined),
};

process.exitCode = await runBench(bench);
