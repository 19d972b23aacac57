/** The coverage floor only rises: no commit has had a higher one. */
import { spawnSync } from 'node:child_process';
import { skipHere } from '../support/not-here.js';
import { readSource, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const floor: Record<string, number> = JSON.parse(readSource('.c8rc.json').text);

t.test('no commit has had a higher floor', async (t) => {
  const log = ['log', '-p', '--format=', '--', '.c8rc.json'];
  const { status, stdout } = spawnSync('git', log, { cwd: repository, encoding: 'utf8' });
  if (status !== 0) return skipHere(t, 'no Git history');
  for (const [, name, value] of `${stdout}+ "lines": 0`.matchAll(/^\+ +"(lines|branches|functions)": ([\d.]+)/gm)) {
    t.ok(floor[name!]! >= Number(value), `${name}: ${floor[name!]} is not below ${value}`);
  }
});
