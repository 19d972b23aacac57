/** `npm run bench:soak`: whether memory and handles stay level while the server does for half an hour what it does all day. */
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { count, readOptions } from './lib/arguments.js';
import { describeMachine } from './lib/machine.js';
import { runWithDatabase, startSaying } from './lib/run-bench.js';
import { describeSoak, printSoak, writeSoak } from './lib/soak-report.js';
import { measureSoak, type SoakOptions } from './lib/soak-rounds.js';

const usage = `Usage: npm run bench:soak -- [options]

Sends refresh grants, GET /user, password grants and sign-ups at a steady, modest rate, and follows the memory, the handles
and the descriptors of the server beside what REL-18 demands. Writes bench/results/soak.json, bench/results/soak.svg and
the table in bench/README.md.

Options:
  --minutes N          length of the run (30)
  --warm-up-minutes N  load before it, when 8,192 sessions have been opened, until code is compiled (6)
  --quick              half a minute, nothing is written: does it still work?
  --help               show this help

Exit code: 0, whatever the verdicts; 1 when an answer was not 2xx or a process failed; 2 on wrong usage.
`;

async function main(): Promise<number> {
  const [loadBefore = 0] = loadavg();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const wanted = readOptions('bench:soak', usage, (): (SoakOptions & { quick: boolean }) | 'help' => {
    const options = {
      minutes: { type: 'string' },
      'warm-up-minutes': { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) return 'help';
    const [jobs, warmUpJobs] = [
      count('--minutes', values.minutes),
      count('--warm-up-minutes', values['warm-up-minutes']),
    ];
    return values.quick
      ? { root, quick: true, fills: false, jobs: 3, warmUpJobs: 1, jobSeconds: 8, sampleSeconds: 2 }
      : {
          root,
          quick: false,
          fills: true,
          jobs: jobs ?? 30,
          warmUpJobs: warmUpJobs ?? 6,
          jobSeconds: 60,
          sampleSeconds: 10,
        };
  });
  if (typeof wanted === 'number') return wanted;
  const say = startSaying();
  const limitSeconds = 900 + (wanted.jobs + wanted.warmUpJobs) * (wanted.jobSeconds + 15);
  return runWithDatabase('bench:soak', say, limitSeconds, async (database) => {
    const soak = await measureSoak(database, wanted, say);
    const tools = { postgres: database.version, pgbench: undefined, argon2: undefined };
    const machine = describeMachine({ loadBefore, ...tools }, root);
    process.stdout.write(printSoak(soak, describeSoak(machine, wanted)));
    if (!wanted.quick) {
      writeSoak(root, soak, machine, wanted);
      say('wrote bench/results/soak.json, bench/results/soak.svg and bench/README.md');
    }
    return soak.minutes.every(({ faults }) => faults === 0) ? 0 : 1;
  });
}

process.exitCode = await main();
