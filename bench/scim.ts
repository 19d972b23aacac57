/** `npm run bench:scim`: what provisioning costs an identity provider, and those who refresh meanwhile. */
import { type Bench, readCount, runBench } from './lib/command.js';
import { measureScim, type ScimFigures, type ScimOptions } from './lib/scim.js';
import { describeMissedScim, reportScim } from './lib/scim-report.js';

const bench: Bench<ScimOptions, ScimFigures> = {
  name: 'scim',
  usage: `Provisions people through one token of an identity provider and one of an organization, as Entra ID does: a look-up, then a
POST. Refreshes sessions at a steady rate, alone and beside that, in turns; changes one member of a large group; and says of people
who are signed in that they are not active any more, while another process on the same database refreshes their sessions. Writes
bench/results/scim.json, bench/results/scim.svg and a section of bench/README.md.

Options:
  --people N        how many are provisioned through each token (5000)
  --members N       members of the group (10000)
  --turns N         how often refreshes are measured alone and beside provisioning; medians of them decide (5)
  --seconds N       length of one such measurement (5)
  --gates           exit with 1 if a gate is missed
`,
  flags: { people: 'string', members: 'string', turns: 'string', seconds: 'string', gates: 'boolean' },
  readOptions: (values) => ({
    people: readCount(values, 'people', 10, 100_000) ?? (values['quick'] ? 200 : 5000),
    members: readCount(values, 'members', 10, 100_000) ?? (values['quick'] ? 500 : 10_000),
    turns: readCount(values, 'turns') ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 5),
    gates: values['gates'] === true,
  }),
  limitSeconds: ({ people, turns, seconds }) => 120 + people / 20 + turns * (2 * seconds + 20),
  measure: measureScim,
  report: reportScim,
  findFailure: (figures, { gates }) => (gates ? describeMissedScim(figures) : undefined),
};

process.exitCode = await runBench(bench);
