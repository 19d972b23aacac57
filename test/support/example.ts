/** The programs of examples/, as processes of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repository } from './source-tree.js';
import type { Test } from './tap.js';
import { until } from './until.js';

export interface Example {
  /** Waits for a line of its output. @returns the first group of the expression */
  line(expression: RegExp): Promise<string>;
  readonly exited: Promise<unknown>;
  /** Asks it to end, with what it has started, before the test does. */
  stop(): Promise<unknown>;
}

/**
 * @param words a file and arguments for it, which a program runs until the test ends
 * @param program default: Node
 */
export function startProgram(
  t: Test,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  program = process.execPath,
): Example {
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  return {
    exited,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async line(expression) {
      await until(() => expression.test(output) || child.exitCode !== null);
      const found = expression.exec(output);
      if (found === null) throw new Error(`${words.join(' ')} ended without ${expression}: ${output}`);
      return found[1] ?? found[0];
    },
  };
}

/**
 * @param command as a page says it, from the root of the repository: variables, then `node` and a file
 * @param variables beside those of the command
 */
export function startExample(t: Test, command: string, variables: Readonly<Record<string, string>>): Example {
  const words = command.split(' ');
  const at = words.indexOf('node');
  const given = Object.fromEntries(words.slice(0, at).map((word) => word.split('=') as [string, string]));
  const env = { PATH: process.env['PATH'] ?? '', ...given, ...variables };
  const [file = '', ...rest] = words.slice(at + 1);
  return startProgram(t, [join(repository, file), ...rest], { env });
}
