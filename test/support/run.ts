/**
 * What `npm test` runs: one Postgres for all test files, then tap, then a line of counts.
 * Arguments: test files by their source or compiled name, or directories; `--search-logs` searches what servers logged
 * for secrets; everything else that begins with `-` goes to tap.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeBriefer, readCounts } from './brief.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';
import { startLogSearch } from './secret-search.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const SIGNAL_PATIENCE_MS = 5000;
const SEARCH = '--search-logs';

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

/** @returns tap's exit code, and its totals */
async function runTap(
  args: readonly string[],
  environment: Record<string, string>,
  signals: Signals,
): Promise<{ code: number; passed: number; failed: number }> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('tap/package.json');
  const bin = join(dirname(manifest), require(manifest).bin.tap as string);
  const child = spawn(process.execPath, [bin, 'run', '--reporter=tap', ...args], {
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
    if (signals.received !== undefined) return 128 + constants.signals[signals.received];
    const search = process.argv.includes(SEARCH) ? startLogSearch() : undefined;
    const environment = {
      ...search?.environment,
      [ADMIN_URL_VARIABLE]: server.adminUrl,
      [TEMPLATE_VARIABLE]: server.template,
    };
    const options = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== SEARCH);
    const files = findFiles(process.argv.slice(2).filter((argument) => !argument.startsWith('-')));
    let [code, passed, failed] = [0, 0, 0];
    for (const isAlone of [false, true]) {
      const batch = files.filter((file) => file.endsWith(ALONE) === isAlone);
      if (batch.length === 0 || signals.received !== undefined) continue;
      const jobs = isAlone ? ['--jobs=1'] : [];
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
