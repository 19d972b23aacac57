/** Another revision of this repository, built for a comparison. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Checks a revision out and builds it; removes it when the work is done or the process exits.
 * @param ref anything that git can resolve
 * @param directory of the checkout; must not exist
 * @throws when the revision does not exist or does not build, and what the work throws
 */
export async function withCheckout<Result>(
  ref: string,
  root: string,
  directory: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const remove = () => {
    try {
      run('git', ['worktree', 'remove', '--force', directory], root);
    } catch {
      // Not created yet. Its files, if any, are removed with the directory of the run.
    }
  };
  process.once('exit', remove);
  try {
    build(ref, root, directory);
    return await work();
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function build(ref: string, root: string, directory: string): void {
  run('git', ['worktree', 'add', '--detach', '--force', directory, ref], root);
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  if (existsSync(join(root, 'node_modules')) && lockOf(root) === lockOf(directory)) {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  } else {
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], directory);
  }
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], directory);
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed: ${`${stdout}${stderr}`.trim().slice(-1000)}`);
  }
}
