/**
 * What `npm test` runs: one Postgres for all test files, then tap, then a line of counts.
 * Arguments: test files by their source or compiled name, or directories; everything that begins with `-` goes to tap.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeBriefer, readCounts } from './brief.js';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const SIGNAL_PATIENCE_MS = 5000;

/** `test/unit/x.test.ts` → `dist/test/unit/x.test.js`; a directory → all tests in it. */
function toCompiled(argument: string): string {
  if (argument.startsWith('-')) return argument;
  const path = relative(root, resolve(argument)).replace(/\.ts$/, '.js');
  const compiled = path.startsWith('dist/') ? path : join('dist', path);
  return compiled.endsWith('.js') ? compiled : join(compiled, '**', '*.test.js');
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
    const environment = { [ADMIN_URL_VARIABLE]: server.adminUrl, [TEMPLATE_VARIABLE]: server.template };
    const { code, passed, failed } = await runTap(process.argv.slice(2).map(toCompiled), environment, signals);
    // A run without a single test proves nothing, and one that broke off has failed whatever was counted.
    const isGood = code === 0 && passed > 0;
    process.stdout.write(`\n${passed} passed, ${isGood ? failed : Math.max(failed, 1)} failed\n`);
    return isGood ? 0 : code || 1;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
