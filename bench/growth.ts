/** `npm run bench:growth`: what a request costs when there are many accounts. */
import { loadavg, tmpdir, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { count, readOptions } from './lib/arguments.js';
import type { BenchDatabase } from './lib/database.js';
import { assertRoom, parseSizes } from './lib/growth-data.js';
import { describeGrowth, printGrowth, writeGrowth } from './lib/growth-report.js';
import { type GrowthOptions, measureGrowth } from './lib/growth-rounds.js';
import { describeMachine } from './lib/machine.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';

const usage = `Usage: npm run bench:growth -- [options]

Fills a database for every size with users, an identity each and half as many sessions, and measures refresh grants, GET
/user, the look-up before a password is checked and pages of the list of accounts on all of them in turns. The load is
spread over 20,000 accounts. Writes bench/results/growth.json and the table in bench/README.md.

Options:
  --sizes A,B     numbers of users (10k,1m); 10m takes some 25 GB and half an hour
  --rounds N      rounds, medians are reported (5)
  --seconds N     length of one measurement (2)
  --quick         1k and 10k users, 1 round of 1 s, nothing is written: does it still work?
  --help          show this help
`;

async function main(): Promise<number> {
  const [loadBefore = 0] = loadavg();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const wanted = readOptions('bench:growth', usage, (): (GrowthOptions & { quick: boolean }) | 'help' => {
    const options = {
      sizes: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) return 'help';
    return {
      root,
      quick: values.quick,
      sizes: parseSizes(values.sizes ?? (values.quick ? '1k,10k' : '10k,1m')),
      rounds: count('--rounds', values.rounds) ?? (values.quick ? 1 : 5),
      seconds: count('--seconds', values.seconds) ?? (values.quick ? 1 : 2),
      // What docs/database.md advises. With the default of 128 MB a large table is read through the system's cache, which
      // doubles what a read costs.
      sharedBuffersGb: Math.max(1, Math.floor(totalmem() / 4 / 1e9)),
    };
  });
  if (typeof wanted === 'number') return wanted;
  const say = startSaying();
  const users = wanted.sizes.reduce((sum, size) => sum + size, 0);
  const limitSeconds = 300 + users / 2000 + wanted.rounds * wanted.sizes.length * 5 * (wanted.seconds + 10);
  const work = async (database: BenchDatabase): Promise<number> => {
    assertRoom(wanted.sizes, tmpdir(), say);
    const sizes = await measureGrowth(database, wanted, say);
    const tools = { postgres: database.version, pgbench: undefined, argon2: undefined };
    const machine = describeMachine({ loadBefore, ...tools }, root);
    process.stdout.write(printGrowth(sizes, describeGrowth(machine, sizes, wanted)));
    if (!wanted.quick) {
      writeGrowth(root, sizes, machine, wanted);
      say('wrote bench/results/growth.json and bench/README.md');
    }
    return 0;
  };
  return runWithDatabase('bench:growth', say, limitSeconds, work, { shared_buffers: `${wanted.sharedBuffersGb}GB` });
}

process.exitCode = await main();
