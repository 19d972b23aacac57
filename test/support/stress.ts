/**
 * `npm run test:stress`: the suite as a busy machine would run it. See HELP. A test that fails here, and passes by itself,
 * waits for a time instead of a condition, or needs what another file leaves behind.
 */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { BusyLoops } from './busy-loops.js';
import { FilePool, type FileResult } from './file-pool.js';
import { openRandom, readTestTimeout, SEED_VARIABLE } from './long-form.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';
import { prepareTap } from './prepare-tap.js';
import { startSecretSearch } from './secret-search.js';
import { findTestFiles, hasOwnProcess, runsAlone, TREE_ROOT } from './test-files.js';

const HELP = `Usage: npm run test:stress -- [options] [test file or directory]...

Runs test files, by default all, in random order, several at a time, beside processes that keep the processors busy.
Files named .alone.test.ts run last in each round, one at a time and without that load. Ends with the files that failed,
how often each did, and a last line "N passed, N failed".

  --rounds=5   how often all files run
  --jobs=5     how many files run at a time
  --loops=2    how many busy processes run beside them
  --seed=42    the order, and the seed of randomised tests; by default random, and printed
  --help
`;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '5' },
    loops: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    help: { type: 'boolean', default: false },
  },
});

/** The same order for the same seed and round. */
function shuffle(files: readonly string[], round: number): string[] {
  const random = openRandom(Number(options.seed), round);
  const rest = files.toSorted();
  return Array.from(files, () => rest.splice(random.int(rest.length), 1)[0]!);
}

/** What the rounds have shown so far. */
class Tally {
  passed = 0;
  failed = 0;
  readonly failures = new Map<string, number>();

  add({ file, isGood, passed, failed, output }: FileResult): void {
    this.passed += passed;
    this.failed += failed;
    if (isGood) return;
    this.failures.set(file, (this.failures.get(file) ?? 0) + 1);
    process.stdout.write(`\nnot ok - ${file}\n${output.replace(/^/gm, '    ')}\n`);
  }

  render(): string {
    const lines = [...this.failures]
      .toSorted(([, a], [, b]) => b - a)
      .map(([file, count]) => `  ${count} of ${options.rounds} ${file}\n`);
    const list = lines.length === 0 ? '' : `\nFailed:\n${lines.join('')}`;
    return `${list}\n${this.passed} passed, ${this.failed} failed\n`;
  }
}

/** Runs all files once. @param onPool called with each pool that starts, which a signal stops */
async function runRound(
  round: number,
  environment: Readonly<Record<string, string>>,
  tally: Tally,
  onPool: (pool: FilePool) => void,
): Promise<void> {
  const startMs = performance.now();
  const failedBefore = tally.failed;
  const files = shuffle(findTestFiles(names), round);
  const search = startSecretSearch();
  for (const isAlone of [false, true]) {
    const pool = new FilePool({
      jobs: isAlone ? 1 : Number(options.jobs),
      readTimeoutSeconds: () => readTestTimeout('short'),
      cwd: TREE_ROOT,
      environmentOf: () => ({ ...environment, ...search.environment }),
      sharesProcess: (file) => !isAlone && !hasOwnProcess(file),
    });
    onPool(pool);
    const load = new BusyLoops(isAlone ? 0 : Number(options.loops));
    await pool.run(
      files.filter((file) => runsAlone(file) === isAlone),
      (result) => tally.add(result),
    );
    await load.end();
  }
  const { faults } = search.finish();
  tally.failed += faults.length;
  for (const fault of faults) process.stdout.write(`not ok - SEC-71: a secret appears in ${fault}\n`);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  const failed = tally.failed - failedBefore;
  process.stdout.write(
    `# round ${round} of ${options.rounds}: ${files.length} files, ${failed} failed, ${seconds} s\n`,
  );
}

async function main(): Promise<number> {
  process.stdout.write(`# seed ${options.seed}\n`);
  let received: NodeJS.Signals | undefined;
  let pool: FilePool | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      received = signal;
      pool?.stop(signal);
    });
  }
  const server = await startTestServer();
  const tally = new Tally();
  try {
    prepareTap();
    const environment = {
      [SEED_VARIABLE]: options.seed,
      [ADMIN_URL_VARIABLE]: server.adminUrl,
      [TEMPLATE_VARIABLE]: server.template,
    };
    for (let round = 1; round <= Number(options.rounds) && received === undefined; round += 1) {
      await runRound(round, environment, tally, (next) => {
        pool = next;
        if (received !== undefined) next.stop(received);
      });
    }
  } finally {
    await server.stop();
  }
  process.stdout.write(tally.render());
  if (received !== undefined) return 128 + constants.signals[received];
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1;
}

if (options.help) process.stdout.write(HELP);
else process.exitCode = await main();
