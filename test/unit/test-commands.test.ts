/** What the commands that run tests say of themselves, and of what they do not understand. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onlyInFull, t } from '../support/tap.js';
import { TREE_ROOT } from '../support/test-files.js';

onlyInFull('it starts six programs, which no change to src can break');

const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(TREE_ROOT, 'dist/test/support', program), ...args], { encoding: 'utf8' });

const USAGE = /^Usage: npm (?:test|run test:\w+) -- \[options\] \[test file or directory\]\.\.\.\n/;

t.test('each has a help', async (t) => {
  for (const program of ['run.js', 'stress.js', 'citus/main.js']) {
    const { status, stdout, stderr } = run(program, '--help');
    t.match(stdout, USAGE, program);
    t.same([status, stderr], [0, '']);
  }
});

t.test('what is not understood starts nothing, and is answered with the help', async (t) => {
  const wrong = [
    ['--changes', "Unknown option '--changes'"],
    ['--jobs=0', '--jobs is a whole number from 1, not "0"'],
    ['--seed=a', '--seed is a whole number from 0, not "a"'],
  ] as const;
  for (const [option, message] of wrong) {
    const { status, stdout, stderr } = run('run.js', option);
    t.same([status, stdout], [2, ''], option);
    t.ok(stderr.startsWith(message), stderr);
    t.match(stderr, 'Usage: npm test');
  }
});
