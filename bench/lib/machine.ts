import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';

/** Where and on what a run was made. */
export interface Machine {
  readonly date: string;
  readonly commit: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  /** Processes that wanted a core in the minute before the run: far above 0, other work has shared the machine. */
  readonly loadBefore: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  readonly pgbench: string | undefined;
  readonly argon2: string | undefined;
}

/** @param versions what only the run itself knows */
export function describeMachine(
  versions: Pick<Machine, 'loadBefore' | 'postgres' | 'pgbench' | 'argon2'>,
  root: string,
): Machine {
  return {
    date: new Date().toISOString(),
    commit: describeCommit(root),
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    ...versions,
  };
}

/** @returns short hash, with `-dirty` when files differ from it; `unknown` outside a git checkout */
function describeCommit(root: string): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const changes = git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      '.',
      ':!bench/results',
      ':!bench/README.md',
    );
    return git('rev-parse', '--short=10', 'HEAD') + (changes === '' ? '' : '-dirty');
  } catch {
    return 'unknown';
  }
}
