/** `npm run bench:growth`: what a request costs when there are many users. */
import { totalmem } from 'node:os';
import { type Bench, readCount, runBench } from './lib/command.js';
import { type Growth, type GrowthOptions, growthSeries, measureGrowth } from './lib/growth.js';
import { parseSizes } from './lib/growth-data.js';
import { reportGrowth } from './lib/growth-report.js';

const bench: Bench<GrowthOptions, Growth> = {
  name: 'growth',
  hasClosedLoops: true,
  usage: `Fills a database of every size with users, an identity each and half as many sessions, and measures refresh grants, GET
/user, the look-up before a password check and lists of users on all of them in turns. The load is spread over 20,000
users. Writes bench/results/growth.json, bench/results/growth.svg and a section of bench/README.md.

Options:
  --sizes A,B       numbers of users (10k,1m); 10m takes some 25 GB of disk and half an hour
  --rounds N        rounds; medians are reported (5)
  --seconds N       length of one measurement (2)
`,
  flags: { sizes: 'string', rounds: 'string', seconds: 'string' },
  readOptions: (values) => ({
    sizes: parseSizes((values['sizes'] as string | undefined) ?? (values['quick'] ? '1k,10k' : '10k,1m')),
    rounds: readCount(values, 'rounds') ?? (values['quick'] ? 1 : 5),
    seconds: readCount(values, 'seconds') ?? (values['quick'] ? 1 : 2),
    // What docs/database.md recommends. With the default of 128 MB a large table is read through the cache of the
    // operating system, which doubles the cost of a read.
    sharedBuffersGb: Math.max(1, Math.floor(totalmem() / 4 / 1e9)),
  }),
  limitSeconds: ({ sizes, rounds, seconds }) => {
    const users = sizes.reduce((sum, size) => sum + size, 0);
    return 300 + users / 2000 + (rounds + 1) * sizes.length * Object.keys(growthSeries).length * (seconds + 10);
  },
  postgresSettings: ({ sharedBuffersGb }) => ({ shared_buffers: `${sharedBuffersGb}GB` }),
  measure: measureGrowth,
  report: reportGrowth,
};

process.exitCode = await runBench(bench);
