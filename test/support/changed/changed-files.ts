/** Which files of the checkout differ from where its branch left the default branch. */
import { execFileSync } from 'node:child_process';

export interface Change {
  /** What the files are compared with, as git shows it. */
  readonly base: string;
  /** From the root of the repository: committed since then, uncommitted or untracked; deleted ones, too. */
  readonly paths: readonly string[];
  /** What changed in a file that git follows, with some lines around; by path. */
  readonly lines: ReadonlyMap<string, string>;
}

const LINES_AROUND = 6;
const MAX_DIFF_BYTES = 2 ** 28;
/** The names that a default branch has where the remote does not say which it is. */
const DEFAULT_BRANCHES = ['origin/main', 'origin/master', 'main', 'master'];

/**
 * @param reference a branch, tag or commit; where the branch of the checkout left it counts. Empty: the default branch.
 * @throws when git does not know it, or the directory is no checkout
 */
export function listChange(root: string, reference: string): Change {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, ...args], {
      ...{ encoding: 'utf8', maxBuffer: MAX_DIFF_BYTES, stdio: ['ignore', 'pipe', 'pipe'] },
    }).trim();
  const has = (name: string): boolean => {
    try {
      return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`) !== '';
    } catch {
      return false;
    }
  };
  const name = reference || (['origin/HEAD', ...DEFAULT_BRANCHES].find(has) ?? 'HEAD');
  if (!has(name)) throw new Error(`git knows no commit ${JSON.stringify(name)}`);
  const base = git('merge-base', name, 'HEAD');
  const lists = [
    git('diff', '--name-only', '--no-renames', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
  const paths = lists.flatMap((list) => list.split('\0')).filter((path) => path !== '');
  const diff = git('diff', '--no-renames', '--no-ext-diff', `-U${LINES_AROUND}`, base);
  return { base: `${base.slice(0, 10)} (${name})`, paths: [...new Set(paths)].sort(), lines: splitDiff(diff) };
}

/** The lines below `@@` of each file of a diff. */
export function splitDiff(diff: string): Map<string, string> {
  const files = diff.split(/^diff --git .*$/m).slice(1);
  return new Map(
    files.flatMap((text) => {
      const path = /^(?:\+\+\+ b|--- a)\/(.+)$/m.exec(text)?.[1];
      return path === undefined ? [] : [[path, text.slice(text.indexOf('\n@@') + 1)] as const];
    }),
  );
}
