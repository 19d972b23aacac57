/** `npm run bench:overload`: what is left of the server when more users sign in than can be hashed. */
import { type Bench, readCount, runBench } from './lib/command.js';
import { measureOverload, type Overload, type OverloadOptions, reportOverload } from './lib/overload.js';

const bench: Bench<OverloadOptions, Overload> = {
  name: 'overload',
  usage: `Sends password grants at 1, 3 and 10 times the rate of raw argon2, whether or not the earlier ones are answered, beside a
steady number of refresh grants and GET /user; then 10 times to a server whose database answers 50 ms later. Writes
bench/results/overload.json, bench/results/overload.svg and a section of bench/README.md.

Options:
  --rounds N        rounds; medians are reported (3)
  --seconds N       length of one measurement (4)
`,
  flags: { rounds: 'string', seconds: 'string' },
  readOptions: (values) => ({
    rounds: readCount(values, 'rounds') ?? (values['quick'] ? 1 : 3),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 4),
  }),
  limitSeconds: ({ rounds, seconds }) => 300 + rounds * 4 * (2 * seconds + 15),
  measure: measureOverload,
  report: reportOverload,
};

process.exitCode = await runBench(bench);
