/** Another revision of this repository, built beside it for a comparison. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Checks a revision out, builds it, and removes it again, whatever ends the work.
 * @param ref anything git can resolve
 * @param directory where it is put; must not exist
 * @throws when the revision does not exist or does not build, and what the work throws
 */
export async function withCheckout<Result>(
  ref: string,
  root: string,
  directory: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const remove = () => removeCheckout(root, directory);
  // Ctrl-C ends the process without coming back here.
  process.once('exit', remove);
  try {
    checkOut(ref, root, directory);
    return await work();
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function checkOut(ref: string, root: string, directory: string): void {
  run('git', ['worktree', 'add', '--detach', '--force', directory, ref], root);
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8');
  if (existsSync(join(root, 'node_modules')) && lock(root) === lock(directory)) {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  } else {
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], directory);
  }
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], directory);
}

function removeCheckout(root: string, directory: string): void {
  try {
    run('git', ['worktree', 'remove', '--force', directory], root);
  } catch {
    // Not made yet. Its files, if any, go with the directory of the run.
  }
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed: ${`${stdout}${stderr}`.trim().slice(-1000)}`);
  }
}
