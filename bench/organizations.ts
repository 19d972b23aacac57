/** `npm run bench:organizations`: what memberships cost refreshes and reads of an account, and lists where there are many. */
import { type Bench, readCount, runBench } from './lib/command.js';
import {
  measureOrganizations,
  type OrganizationCosts,
  type OrganizationOptions,
  sidesOf,
} from './lib/organizations.js';
import { describeMissedOrganizations, reportOrganizations } from './lib/organizations-report.js';

const bench: Bench<OrganizationOptions, OrganizationCosts> = {
  name: 'organizations',
  hasClosedLoops: true,
  usage: `Measures refresh grants and GET /user of two servers in turns: without organizations, and with them, where each account is a member
of five, one of which is active. Then it fills a database with users, a tenth as many organizations, one with a twentieth of the
users as members and one user who is a member of a thousand, and measures lists and activation over one connection. Writes
bench/results/organizations.json, bench/results/organizations.svg and a section of bench/README.md.

Options:
  --processes N     how often all servers and databases are made anew; medians of them decide (5)
  --seconds N       length of one measurement (4)
  --users N         users of the large database (1000000); 0: none
  --compare REF     also measure a git revision, without organizations; writes nothing
  --gates           exit with 1 if a gate is missed
`,
  flags: { processes: 'string', seconds: 'string', users: 'string', compare: 'string', gates: 'boolean' },
  readOptions: (values) => ({
    processes: readCount(values, 'processes', 0) ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 4),
    users: readCount(values, 'users', 0, 10_000_000) ?? (values['quick'] ? 10_000 : 1_000_000),
    compare: values['compare'] as string | undefined,
    gates: values['gates'] === true,
  }),
  limitSeconds: (options) =>
    600 + options.processes * sidesOf(options).length * (4 * options.seconds + 60) + options.users / 500,
  measure: measureOrganizations,
  report: reportOrganizations,
  isPartial: ({ compare, users, processes }) => compare !== undefined || users === 0 || processes === 0,
  findFailure: (costs, { gates }) => (gates ? describeMissedOrganizations(costs) : undefined),
};

process.exitCode = await runBench(bench);
