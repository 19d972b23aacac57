/**
 * What `npm test` runs: one Postgres for all test files, then tap, then a line of counts.
 * Arguments: test files by their source or compiled name, or directories; everything that begins with `-` goes to tap.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_URL_VARIABLE, startTestServer, TEMPLATE_VARIABLE } from './postgres.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** `test/unit/x.test.ts` → `dist/test/unit/x.test.js`; a directory → all tests in it. */
function toCompiled(argument: string): string {
  if (argument.startsWith('-')) return argument;
  const path = relative(root, resolve(argument)).replace(/\.ts$/, '.js');
  const compiled = path.startsWith('dist/') ? path : join('dist', path);
  return compiled.endsWith('.js') ? compiled : join(compiled, '**', '*.test.js');
}

/** tap's own totals, from the last line of its output that has them. */
function readCounts(tapOutput: string): { passed: number; failed: number } {
  const totals = tapOutput.match(/^# \{ total: .*\}$/gm)?.at(-1) ?? '';
  const count = (name: string): number => Number(new RegExp(`${name}: (\\d+)`).exec(totals)?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') };
}

async function runTap(args: readonly string[], environment: Record<string, string>): Promise<number> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('tap/package.json');
  const bin = join(dirname(manifest), require(manifest).bin.tap as string);
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass).on('SIGHUP', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
}

async function main(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'latchkey-run-'));
  const output = join(scratch, 'output.tap');
  try {
    const server = await startTestServer();
    try {
      const args = process.argv.slice(2).map(toCompiled);
      const reporter = args.some((argument) => /^(-R|--reporter)/.test(argument))
        ? []
        : [`--reporter=${process.stdout.isTTY ? 'base' : 'terse'}`];
      const code = await runTap(['run', ...reporter, `--output-file=${output}`, ...args], {
        [ADMIN_URL_VARIABLE]: server.adminUrl,
        [TEMPLATE_VARIABLE]: server.template,
      });
      const { passed, failed } = readCounts(readFileSync(output, 'utf8'));
      process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
      // A run without a single test proves nothing.
      return code === 0 && passed + failed === 0 ? 1 : code;
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main();
