/**
 * `npm test`: starts one Postgres, runs test files against it, and prints the failed files, the skipped tests and a last line of
 * counts. At the end the output of all servers is searched for secrets. See HELP.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleBinary } from './bundle-binary.js';
import { type FileCosts, readFileCosts, writeFileCosts } from './changed/file-costs.js';
import { pickTests } from './changed/pick.js';
import { readCommandLine, readCount } from './command-line.js';
import { Coverage, isMeasured } from './coverage.js';
import { prepareDevData } from './dev-server.js';
import { type FileResult, isGoodRun, renderCosts, renderEnd } from './file-pool.js';
import {
  FULL_VARIABLE,
  hasFullForm,
  hasLongForm,
  isFullOnly,
  isLongOnly,
  LONG_VARIABLE,
  REST_VARIABLE,
  readTestTimeout,
  SEED_VARIABLE,
} from './long-form.js';
import { reportSearch, startSecretSearch } from './secret-search.js';
import {
  findTestFiles,
  longFirst,
  refuseUnknownFiles,
  sourceOf,
  spreadFolders,
  TREE_ROOT,
  waitsMuch,
} from './test-files.js';
import { TestRun } from './test-run.js';

/** More than the two cores of a small machine: some files wait more than they work, two of five as long as there are such. */
const DEFAULT_JOBS = 5;
/** What is left for --rest mostly runs in a browser: each more of them takes 4 % more processor time, and none waits long. */
const JOBS_OF_REST = 4;
/** A bundle takes as much as the starts of five servers save. */
const FEWEST_TO_BUNDLE = 20;
const COSTS = join(TREE_ROOT, '.tap/file-costs.json');

const HELP = `Usage: npm test -- [options] [test file or directory]...

Runs test files, by default all but those that only their own subject can break, with a Postgres of its own. The last line is
"N passed, N failed".

  --changed            the files closest to what differs from the default branch, and those of test/conventions
  --changed=main~3     the same from another commit
  --all                with --changed: all files that may reach the change
  --full               all files, each matrix whole (npm run test:full)
  --rest               the same without what npm test has shown: files, rows, and tests that are the same in both
  --long               the long forms of tests that have one, one after the other (npm run test:soak)
  --coverage           measures src; fails below the floor of .c8rc.json; LATCHKEY_TEST_COVERAGE=1 is the same
  --jobs=${DEFAULT_JOBS}             how many files run at a time; by default ${JOBS_OF_REST} with --rest
  --seed=42            seed of randomised tests; by default random, and printed
  --help

TEST_DATABASE_URL: a server, by a superuser's URL, to use instead of its own.
`;

const { values: options, positionals: names } = readCommandLine(
  HELP,
  {
    full: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    changed: { type: 'string' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string' },
    jobs: { type: 'string' },
    coverage: { type: 'boolean', default: process.env['LATCHKEY_TEST_COVERAGE'] === '1' },
  },
  // The commit may be left out, which parseArgs does not know of values.
  process.argv.slice(2).map((argument) => (argument === '--changed' ? '--changed=' : argument)),
);
const defaultJobs = options.rest ? JOBS_OF_REST : DEFAULT_JOBS;
const jobs = options.jobs === undefined ? defaultJobs : readCount(options.jobs, 'jobs', 1, HELP);
if (options.seed !== undefined) readCount(options.seed, 'seed', 0, HELP);

const isShortOrFull = (text: string): boolean => !(options.full ? isLongOnly : isFullOnly)(text);
const readText = (path: string): string => readFileSync(join(TREE_ROOT, path), 'utf8');

/** Prints one line for a file that passed, all of its output for one that failed. */
function printResult(result: FileResult, done: number, all: number): void {
  const { isGood, file, skipped, seconds, cpuSeconds = 0, output } = result;
  if (!isGood) process.stdout.write(`\n# ${file}\n${output.replace(/^/gm, '    ')}\n`);
  const reason = skipped.length === 0 ? '' : ` # ${skipped.length} skipped`;
  const costs = `(${seconds.toFixed(1)} s, processor ${cpuSeconds.toFixed(1)} s)`;
  process.stdout.write(`${isGood ? 'ok' : 'not ok'} ${done} of ${all} - ${file} ${costs}${reason}\n`);
}

function writeCosts(results: readonly FileResult[]): void {
  const entries = results.flatMap(({ file, cpuSeconds }) =>
    cpuSeconds ? [[sourceOf(file), cpuSeconds] as const] : [],
  );
  writeFileCosts(COSTS, Object.fromEntries(entries) satisfies FileCosts);
}

async function main(): Promise<number> {
  refuseUnknownFiles(names);
  const change = options.changed === undefined ? undefined : { reference: options.changed, isAll: options.all };
  const pick = change && pickTests(TREE_ROOT, { ...change, costs: readFileCosts(COSTS) });
  const isShort = !options.full && !options.rest && !options.long;
  const isNamed = pick !== undefined || names.length > 0;
  const isMeant = options.long ? hasLongForm : options.rest ? hasFullForm : isShortOrFull;
  const meant = findTestFiles(pick?.files ?? names).filter((file) => isNamed || isMeant(readText(file)));
  const files = isShort ? spreadFolders(meant) : longFirst(spreadFolders(meant));
  const isWhole = !isNamed && !options.rest;
  const unmeasured = files.filter((file) => !options.coverage || !isMeasured(file, isWhole));
  const bundles = (isShort || options.rest) && unmeasured.length >= FEWEST_TO_BUNDLE;
  const bundling = bundles ? bundleBinary() : Promise.resolve({});
  // It is awaited where Postgres is stopped, whatever comes of it.
  bundling.catch(() => undefined);
  const run = new TestRun();
  const { server, variables } = await run.startPostgres({ isLarge: options.long });
  let devData: ReturnType<typeof prepareDevData> | undefined;
  try {
    if (options.rest && files.some((file) => readText(file).includes('startDev('))) devData = prepareDevData();
    // Half an hour of load logs gigabytes.
    const search = options.long ? undefined : startSecretSearch();
    const coverage = options.coverage ? new Coverage(isWhole) : undefined;
    const environment = {
      ...search?.environment,
      ...(options.full || options.rest ? { [FULL_VARIABLE]: '1' } : {}),
      ...(options.rest ? { [REST_VARIABLE]: '1' } : {}),
      ...(options.long ? { [LONG_VARIABLE]: '1' } : {}),
      ...(options.seed === undefined ? {} : { [SEED_VARIABLE]: options.seed }),
      ...variables,
      ...devData?.variables,
    };
    const bundle = await bundling;
    if (pick) process.stdout.write(`${pick.text}\n`);
    const results: FileResult[] = [];
    await run.runFiles(
      files,
      {
        jobs: options.long ? 1 : jobs,
        readTimeoutSeconds: () => readTestTimeout(options.long ? 'long' : 'short'),
        // What is measured starts the real files.
        environmentOf: (file) => ({ ...environment, ...(coverage?.environmentOf(file) ?? bundle) }),
        isolates: options.long,
        waits: waitsMuch,
      },
      (result) => {
        results.push(result);
        printResult(result, results.length, files.length);
      },
    );
    const passed = results.reduce((sum, result) => sum + result.passed, 0);
    let failed = results.reduce((sum, result) => sum + result.failed, 0);
    if (search !== undefined) failed += reportSearch(search);
    if (coverage?.report(TREE_ROOT) === false) failed += 1;
    // A run that was ended has failed.
    const isGood = isGoodRun(results, failed) && !run.isEnded;
    if (!options.long) writeCosts(results);
    process.stdout.write(renderCosts(results, server.cpuSeconds()));
    if (pick) process.stdout.write(`\n${pick.text}`);
    process.stdout.write(renderEnd(results, { passed, failed: isGood ? 0 : Math.max(failed, 1) }));
    return run.exitCode(isGood);
  } finally {
    try {
      await devData?.remove();
    } finally {
      await server.stop();
    }
  }
}

process.exitCode = await main();
