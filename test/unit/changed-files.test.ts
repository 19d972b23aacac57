import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listChange, splitDiff } from '../support/changed/changed-files.js';
import { type Test, t } from '../support/tap.js';

/** A repository with one commit on `main`; `git` runs in it. */
function openRepository(t: Test) {
  const root = t.testdir({ 'a.ts': 'a\n', 'gone.ts': 'gone\n', folder: { 'b.ts': 'b\n' } });
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const git = (...args: string[]) => execFileSync('git', [...author, ...args], { cwd: root, stdio: 'pipe' });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  return { root, git, write };
}

t.test('what is committed on the branch, uncommitted, untracked or deleted has changed', async (t) => {
  const { root, git, write } = openRepository(t);
  git('checkout', '-qb', 'topic');
  write('a.ts', 'changed\n');
  git('commit', '-qam', 'second');
  write('folder/b.ts', 'changed\n');
  mkdirSync(join(root, 'ü'));
  write('ü/new file.ts', 'new\n');
  rmSync(join(root, 'gone.ts'));
  const { base, paths, lines } = listChange(root, '');
  t.same(paths, ['a.ts', 'folder/b.ts', 'gone.ts', 'ü/new file.ts']);
  t.match(base, /^[0-9a-f]{10} \(main\)$/);
  t.match(lines.get('folder/b.ts'), /^-b\n\+changed$/m, 'with what changed in each');
  t.same(listChange(root, 'HEAD').paths, ['folder/b.ts', 'gone.ts', 'ü/new file.ts'], 'since another commit');
});

t.test('what the default branch has got meanwhile has not changed', async (t) => {
  const { root, git, write } = openRepository(t);
  git('checkout', '-qb', 'topic');
  git('checkout', '-q', 'main');
  write('a.ts', 'of others\n');
  git('commit', '-qam', 'second');
  git('checkout', '-q', 'topic');
  t.same(listChange(root, 'main').paths, []);
});

t.test('a commit that git does not know is an error', async (t) => {
  const { root } = openRepository(t);
  t.throws(() => listChange(root, 'absent'), /git knows no commit "absent"/);
});

t.test('a diff is split by file', async (t) => {
  const diff = [
    ...['diff --git a/x.ts b/x.ts', '--- a/x.ts', '+++ b/x.ts', '@@ -1 +1 @@ function f()', '-old', '+new'],
    ...['diff --git a/y.ts b/y.ts', 'deleted file mode 100644', '--- a/y.ts', '+++ /dev/null', '@@ -1 +0,0 @@', '-y'],
  ].join('\n');
  t.same(
    [...splitDiff(diff)],
    [
      ['x.ts', '@@ -1 +1 @@ function f()\n-old\n+new\n'],
      ['y.ts', '@@ -1 +0,0 @@\n-y'],
    ],
  );
});
