import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSource, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const { text } = readSource('THREATS.md');

t.test('every test that THREATS.md names exists', async (t) => {
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  t.ok(named.length > 40, `${named.length} are named`);
  for (const path of named) t.ok(existsSync(join(repository, path)), path);
});

t.test('every threat has a defence and a test', async (t) => {
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Threat'));
  t.ok(rows.length > 20);
  for (const row of rows) {
    const [, threat, defence, tests] = row.split(' | ').join('|').split('|');
    t.ok(threat && defence, row.slice(0, 60));
    t.match(tests ?? '', /`test\/[a-z]+\/[a-z0-9.-]+\.test\.ts`/, threat!);
  }
});
