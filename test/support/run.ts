/**
 * What `npm test` runs: one Postgres for all test files, each of them, then what was skipped and a line of counts.
 * Arguments: test files by their source or compiled name, or directories; `--long` runs the long forms of tests that have
 * two, by default of all that have, one after the other; `--seed=42` gives random tests this seed; `--jobs=2` runs so many
 * files at a time. At the end, what servers logged, measured, traced and refused is searched for secrets.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FilePool, type FileResult, renderEnd } from './file-pool.js';
import { LONG_VARIABLE, SEED_VARIABLE, TIMEOUT_SECONDS } from './long-form.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';
import { startSecretSearch } from './secret-search.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LONG = '--long';
const SEED = '--seed=';
const JOBS = '--jobs=';
/** More than the two cores of a small machine: some files wait more than they work. */
const DEFAULT_JOBS = 3;
const MOST_FAULTS_SHOWN = 50;

/** Files named so measure time: they run when all others are done, with the machine to themselves. */
const ALONE = '.alone.test.js';

/** `test/unit/x.test.ts` → itself, compiled; a directory → all tests in it; nothing → all tests. */
function findFiles(names: readonly string[]): string[] {
  const paths = (names.length > 0 ? names : ['dist/test']).map((name) => {
    const path = relative(root, resolve(name)).replace(/\.ts$/, '.js');
    return path.startsWith('dist/') ? path : join('dist', path);
  });
  return paths.flatMap((path) => {
    if (path.endsWith('.js')) return [path];
    const entries = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
    return entries.filter((entry) => entry.endsWith('.test.js')).map((entry) => join(path, entry));
  });
}

const hasLongForm = (path: string): boolean => /\b(?:pickForm|holds)\(/.test(readFileSync(join(root, path), 'utf8'));

/** What a signal ends: the files that run now. Listening from the start, so that one while Postgres starts counts, too. */
class Signals {
  pool: FilePool | undefined;
  received: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        this.received = signal;
        this.pool?.stop(signal);
      });
    }
  }
}

function findTap(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('tap/package.json');
  return join(dirname(manifest), require(manifest).bin.tap as string);
}

/**
 * tap takes up what .taprc says of plugins in its first run, but that run goes on without: in a clean clone each of the
 * test processes would load a TypeScript compiler it has no use for, 1.3 s of processor time.
 */
function prepareTap(): void {
  if (existsSync(join(root, '.tap/plugins'))) return;
  spawnSync(process.execPath, [findTap(), 'build'], { cwd: root, stdio: 'ignore' });
}

/** One line for a file that passed, everything for one that did not. */
function show(result: FileResult, done: number, all: number): void {
  const { isGood, file, skipped, seconds, output } = result;
  if (!isGood) process.stdout.write(`\n# ${file}\n${output.replace(/^/gm, '    ')}\n`);
  const word = isGood ? 'ok' : 'not ok';
  const reason = skipped.length === 0 ? '' : ` # ${skipped.length} skipped`;
  process.stdout.write(`${word} ${done} of ${all} - ${file} (${seconds.toFixed(1)} s)${reason}\n`);
}

/** @throws when an option is not known */
function readOptions(given: readonly string[]) {
  const after = (prefix: string) => given.find((argument) => argument.startsWith(prefix))?.slice(prefix.length);
  const isKnown = (option: string) => option === LONG || option.startsWith(SEED) || /^--jobs=[1-9]\d*$/.test(option);
  const unknown = given.find((argument) => argument.startsWith('-') && !isKnown(argument));
  if (unknown !== undefined) {
    throw new Error(`There is no option ${unknown}: only ${LONG}, ${SEED}42 and ${JOBS}2.`);
  }
  return {
    names: given.filter((argument) => !argument.startsWith('-')),
    isLong: given.includes(LONG),
    seed: after(SEED),
    jobs: Number(after(JOBS) ?? DEFAULT_JOBS),
  };
}

async function main(): Promise<number> {
  const { names, isLong, seed, jobs } = readOptions(process.argv.slice(2));
  const signals = new Signals();
  const server = await startTestServer().catch((error: unknown) => {
    // Ctrl-C ends initdb too, and then there is nothing to explain.
    if (signals.received === undefined) throw error;
    process.exit(128 + constants.signals[signals.received]);
  });
  try {
    prepareTap();
    if (signals.received !== undefined) return 128 + constants.signals[signals.received];
    // Half an hour of load logs gigabytes.
    const search = isLong ? undefined : startSecretSearch();
    const environment = {
      ...search?.environment,
      ...(isLong ? { [LONG_VARIABLE]: '1' } : {}),
      ...(seed === undefined ? {} : { [SEED_VARIABLE]: seed }),
      [ADMIN_URL_VARIABLE]: server.adminUrl,
      [TEMPLATE_VARIABLE]: server.template,
    };
    const files = findFiles(names).filter((file) => !isLong || names.length > 0 || hasLongForm(file));
    let [passed, failed, done] = [0, 0, 0];
    const results: FileResult[] = [];
    for (const isAlone of [false, true]) {
      const batch = files.filter((file) => file.endsWith(ALONE) === isAlone);
      if (signals.received !== undefined) break;
      const pool = new FilePool({
        jobs: isAlone || isLong ? 1 : jobs,
        timeoutSeconds: TIMEOUT_SECONDS[isLong ? 'long' : 'short'],
        cwd: root,
        environment,
      });
      signals.pool = pool;
      await pool.run(batch, (result) => {
        passed += result.passed;
        failed += result.failed;
        done += 1;
        results.push(result);
        show(result, done, files.length);
      });
    }
    if (search !== undefined) {
      const { faults, searched, secrets } = search.finish();
      for (const fault of faults.slice(0, MOST_FAULTS_SHOWN))
        process.stdout.write(`not ok - SEC-71: a secret was told in ${fault}\n`);
      process.stdout.write(`\nSearched for ${secrets} secrets: ${searched}; ${faults.length} found\n`);
      failed += faults.length;
    }
    // A run without a single test proves nothing, and one that broke off has failed whatever was counted.
    const isGood = failed === 0 && passed > 0 && signals.received === undefined;
    process.stdout.write(renderEnd(results, { passed, failed: isGood ? 0 : Math.max(failed, 1) }));
    if (signals.received !== undefined) return 128 + constants.signals[signals.received];
    return isGood ? 0 : 1;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
