/** `npm run bench:overload`: what is left of the server when more people sign in than can be hashed. */
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { count, readOptions } from './lib/arguments.js';
import { describeMachine } from './lib/machine.js';
import { describeOverload, printOverload, writeOverload } from './lib/overload-report.js';
import { measureOverload, type OverloadOptions } from './lib/overload-rounds.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';

const usage = `Usage: npm run bench:overload -- [options]

Sends password grants at 1, 3 and 10 times the rate of raw argon2, whether or not the earlier ones are answered, beside a
steady number of refresh grants and GET /user; then at 10 times to a server whose database answers 50 ms later. Writes
bench/results/overload.json, bench/results/overload.svg and the table in bench/README.md.

Options:
  --rounds N      rounds, medians are reported (3)
  --seconds N     length of one measurement (4)
  --quick         1 round of 1 s, nothing is written: does it still work?
  --help          show this help
`;

async function main(): Promise<number> {
  const [loadBefore = 0] = loadavg();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const wanted = readOptions('bench:overload', usage, (): (OverloadOptions & { quick: boolean }) | 'help' => {
    const options = {
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
      rounds: count('--rounds', values.rounds) ?? (values.quick ? 1 : 3),
      seconds: count('--seconds', values.seconds) ?? (values.quick ? 1 : 4),
    };
  });
  if (typeof wanted === 'number') return wanted;
  const say = startSaying();
  return runWithDatabase('bench:overload', say, 300 + wanted.rounds * 4 * (wanted.seconds + 15), async (database) => {
    const { cases, engine } = await measureOverload(database, wanted, say);
    const tools = { postgres: database.version, pgbench: undefined, argon2: engine };
    const machine = describeMachine({ loadBefore, ...tools }, root);
    process.stdout.write(printOverload(cases, describeOverload(machine, wanted)));
    if (!wanted.quick) {
      writeOverload(root, cases, machine, wanted);
      say('wrote bench/results/overload.json, bench/results/overload.svg and bench/README.md');
    }
    return 0;
  });
}

process.exitCode = await main();
