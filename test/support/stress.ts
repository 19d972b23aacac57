/**
 * `npm run test:stress`: the suite as a busy machine would run it. See HELP. A test that fails here, and passes by itself,
 * waits for a time instead of a condition, or needs what another file leaves behind.
 */
import { bundleBinary } from './bundle-binary.js';
import { BusyLoops } from './busy-loops.js';
import { readCommandLine, readCount } from './command-line.js';
import { type FileResult, isGoodRun } from './file-pool.js';
import { openRandom, readTestTimeout, SEED_VARIABLE } from './long-form.js';
import { reportSearch, startSecretSearch } from './secret-search.js';
import { findTestFiles, refuseUnknownFiles } from './test-files.js';
import { TestRun } from './test-run.js';

const HELP = `Usage: npm run test:stress -- [options] [test file or directory]...

Runs test files, by default all, in random order, several at a time, beside processes that keep the processors busy.
Files named .alone.test.ts run last in each round, without that load, and one at a time if they do more than wait. Ends with
the files that failed, how often each did, and a last line "N passed, N failed".

  --rounds=5   how often all files run
  --jobs=5     how many files run at a time
  --loops=2    how many busy processes run beside them
  --seed=42    the order, and the seed of randomised tests; by default random, and printed
  --help
`;

const { values: options, positionals: names } = readCommandLine(HELP, {
  rounds: { type: 'string', default: '5' },
  jobs: { type: 'string', default: '5' },
  loops: { type: 'string', default: '2' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
});
const rounds = readCount(options.rounds, 'rounds', 1, HELP);
const jobs = readCount(options.jobs, 'jobs', 1, HELP);
const loops = readCount(options.loops, 'loops', 0, HELP);
const seed = readCount(options.seed, 'seed', 0, HELP);

/** The same order for the same seed and round. */
function shuffle(files: readonly string[], round: number): string[] {
  const random = openRandom(seed, round);
  const rest = files.toSorted();
  return Array.from(files, () => rest.splice(random.int(rest.length), 1)[0]!);
}

/** How many files end between two lines of progress. */
const FILES_BETWEEN_LINES = 50;

/** What the rounds have shown so far. */
class Tally {
  passed = 0;
  failed = 0;
  readonly skipped: string[] = [];
  readonly failures = new Map<string, number>();
  readonly #expected: number;
  #ended = 0;

  /** @param expected how many files all rounds run */
  constructor(expected: number) {
    this.#expected = expected;
  }

  add({ file, isGood, skipped, passed, failed, output }: FileResult): void {
    this.skipped.push(...skipped);
    this.passed += passed;
    this.failed += failed;
    this.#ended += 1;
    if (this.#ended % FILES_BETWEEN_LINES === 0) process.stdout.write(`# ${this.#ended} of ${this.#expected} files\n`);
    if (isGood) return;
    this.failures.set(file, (this.failures.get(file) ?? 0) + 1);
    process.stdout.write(`\nnot ok - ${file}\n${output.replace(/^/gm, '    ')}\n`);
  }

  render(): string {
    const lines = [...this.failures]
      .toSorted(([, a], [, b]) => b - a)
      .map(([file, count]) => `  ${count} of ${rounds} ${file}\n`);
    const list = lines.length === 0 ? '' : `\nFailed:\n${lines.join('')}`;
    return `${list}\n${this.passed} passed, ${this.failed} failed\n`;
  }
}

/** Runs all files once. @param variables by which they find Postgres */
async function runRound(
  run: TestRun,
  round: number,
  variables: Readonly<Record<string, string>>,
  tally: Tally,
): Promise<void> {
  const startMs = performance.now();
  const failedBefore = tally.failed;
  const files = shuffle(findTestFiles(names), round);
  const search = startSecretSearch();
  const environment = { ...variables, [SEED_VARIABLE]: options.seed, ...search.environment };
  await run.runFiles(
    files,
    {
      jobs,
      readTimeoutSeconds: () => readTestTimeout('short'),
      environmentOf: () => environment,
      startBeside: () => new BusyLoops(loops),
    },
    (result) => tally.add(result),
  );
  tally.failed += reportSearch(search);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  const failed = tally.failed - failedBefore;
  process.stdout.write(`# round ${round} of ${rounds}: ${files.length} files, ${failed} failed, ${seconds} s\n`);
}

async function main(): Promise<number> {
  refuseUnknownFiles(names);
  process.stdout.write(`# seed ${seed}\n`);
  const run = new TestRun();
  const { server, variables: found } = await run.startPostgres();
  const tally = new Tally(findTestFiles(names).length * rounds);
  try {
    const variables = { ...found, ...(await bundleBinary()) };
    for (let round = 1; round <= rounds && !run.isEnded; round += 1) {
      await runRound(run, round, variables, tally);
    }
  } finally {
    await server.stop();
  }
  process.stdout.write(tally.render());
  return run.exitCode(isGoodRun([tally], tally.failed));
}

process.exitCode = await main();
