/** `npm run bench:saml`: what sign-ins at companies cost those who only read their account, and those with a password. */
import { type Bench, readCount, runBench } from './lib/command.js';
import { describeMissedSaml, measureSaml, reportSaml, type SamlCosts, type SamlOptions } from './lib/saml.js';

const bench: Bench<SamlOptions, SamlCosts> = {
  name: 'saml',
  hasClosedLoops: true,
  usage: `Sends 100 signed assertions a second, each of which makes a session, beside a steady number of GET /user, and these alone before; then
password grants to servers with and without SAML in turns. Writes bench/results/saml.json, bench/results/saml.svg and a section of
bench/README.md.

Options:
  --processes N     how often servers and databases are made anew; medians of them decide (5)
  --seconds N       length of one measurement (4)
  --gates           exit with 1 if a gate is missed
`,
  flags: { processes: 'string', seconds: 'string', gates: 'boolean' },
  readOptions: (values) => ({
    processes: readCount(values, 'processes') ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 2 : 4),
    gates: values['gates'] === true,
  }),
  limitSeconds: ({ processes, seconds }) => 300 + processes * (14 * seconds + 150),
  measure: measureSaml,
  report: reportSaml,
  findFailure: (costs, { gates }) => (gates ? describeMissedSaml(costs) : undefined),
};

process.exitCode = await runBench(bench);
