import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNewerThanAll } from '../../src/dev/web/newer.js';
import { t } from '../support/tap.js';

t.test('what is built is newer than all of its sources', async (t) => {
  const root = t.testdir({ src: { deep: { 'a.ts': '', 'b.ts': '' } }, lock: '', made: '' });
  const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds);
  const isNewer = (made = 'made') => isNewerThanAll(join(root, made), [join(root, 'src'), join(root, 'lock')]);
  const settle = () => {
    for (const path of ['src/deep/a.ts', 'src/deep/b.ts', 'src/deep', 'src', 'lock']) at(path, 1000);
    at('made', 2000);
  };
  settle();
  t.ok(isNewer());
  t.notOk(isNewer('nothing'), 'it is not there');
  for (const path of ['src/deep/b.ts', 'lock']) {
    at(path, 3000);
    t.notOk(isNewer(), path);
    settle();
  }
  writeFileSync(join(root, 'src/deep/c.ts'), '');
  at('src/deep/c.ts', 1000);
  t.notOk(isNewer(), 'a file is added');
  rmSync(join(root, 'src/deep/c.ts'));
  settle();
  rmSync(join(root, 'src/deep/b.ts'));
  t.notOk(isNewer(), 'a file is removed');
});
