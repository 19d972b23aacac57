/**
 * What `npm test` runs: one Postgres for all test files, then tap, then a line of counts.
 * Arguments: test files by their source or compiled name, or directories; `--search-logs` searches what servers logged
 * for secrets; `--long` runs the long forms of tests that have two, by default of all that have, one after the other;
 * `--seed=42` gives random tests this seed; everything else that begins with `-` goes to tap.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeBriefer, readCounts } from './brief.js';
import { LONG_VARIABLE, SEED_VARIABLE } from './long-form.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';
import { startLogSearch } from './secret-search.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const SIGNAL_PATIENCE_MS = 5000;
const SEARCH = '--search-logs';
const LONG = '--long';
const SEED = '--seed=';
/** Of one file in its long form: half an hour of load, and as much again for what is around it. */
const LONG_TIMEOUT_SECONDS = 3600;

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

/**
 * Passes signals to tap and its test files, which tap alone would let run on for their whole time-out.
 * Listening from the start also means that a signal while Postgres starts does not skip the cleaning up.
 */
class Signals {
  #child: ChildProcess | undefined;
  received: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        this.received = signal;
        this.#send(signal);
        setTimeout(() => this.#send('SIGKILL'), SIGNAL_PATIENCE_MS).unref();
      });
    }
  }

  passTo(child: ChildProcess): void {
    this.#child = child;
  }

  #send(signal: NodeJS.Signals): void {
    try {
      if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // All of them are gone already.
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

/** @returns tap's exit code, and its totals */
async function runTap(
  args: readonly string[],
  environment: Record<string, string>,
  signals: Signals,
): Promise<{ code: number; passed: number; failed: number }> {
  const child = spawn(process.execPath, [findTap(), 'run', '--reporter=tap', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that a signal reaches each of them once.
    detached: true,
    env: { ...process.env, ...environment },
  });
  signals.passTo(child);
  const counts = { passed: 0, failed: 0 };
  const brief = makeBriefer();
  createInterface({ input: child.stdout }).on('line', (line) => {
    Object.assign(counts, readCounts(line));
    for (const shown of brief(line)) process.stdout.write(`${shown}\n`);
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
  return { code, ...counts };
}

async function main(): Promise<number> {
  const signals = new Signals();
  const server = await startTestServer().catch((error: unknown) => {
    // Ctrl-C ends initdb too, and then there is nothing to explain.
    if (signals.received === undefined) throw error;
    process.exit(128 + constants.signals[signals.received]);
  });
  try {
    prepareTap();
    if (signals.received !== undefined) return 128 + constants.signals[signals.received];
    const given = process.argv.slice(2);
    const search = given.includes(SEARCH) ? startLogSearch() : undefined;
    const isLong = given.includes(LONG);
    const seed = given.find((argument) => argument.startsWith(SEED))?.slice(SEED.length);
    const environment = {
      ...search?.environment,
      ...(isLong ? { [LONG_VARIABLE]: '1' } : {}),
      ...(seed === undefined ? {} : { [SEED_VARIABLE]: seed }),
      [ADMIN_URL_VARIABLE]: server.adminUrl,
      [TEMPLATE_VARIABLE]: server.template,
    };
    const isOurs = (argument: string): boolean => [SEARCH, LONG].includes(argument) || argument.startsWith(SEED);
    const options = given.filter((argument) => argument.startsWith('-') && !isOurs(argument));
    if (isLong) options.push(`--timeout=${LONG_TIMEOUT_SECONDS}`);
    const names = given.filter((argument) => !argument.startsWith('-'));
    const files = findFiles(names).filter((file) => !isLong || names.length > 0 || hasLongForm(file));
    let [code, passed, failed] = [0, 0, 0];
    for (const isAlone of [false, true]) {
      const batch = files.filter((file) => file.endsWith(ALONE) === isAlone);
      if (batch.length === 0 || signals.received !== undefined) continue;
      const jobs = isAlone || isLong ? ['--jobs=1'] : [];
      const result = await runTap([...options, ...jobs, ...batch], environment, signals);
      code ||= result.code;
      passed += result.passed;
      failed += result.failed;
    }
    if (search !== undefined) {
      const { faults, characters, secrets } = search.finish();
      for (const fault of faults) process.stdout.write(`SEC-71: a secret was logged: ${fault}\n`);
      process.stdout.write(
        `\nSearched ${characters} characters of logs for ${secrets} secrets: ${faults.length} found\n`,
      );
      if (faults.length > 0) code ||= 1;
      failed += faults.length;
    }
    // A run without a single test proves nothing, and one that broke off has failed whatever was counted.
    const isGood = code === 0 && passed > 0;
    process.stdout.write(`\n${passed} passed, ${isGood ? failed : Math.max(failed, 1)} failed\n`);
    return isGood ? 0 : code || 1;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
