/** `latchkey passwords build-filter` under kill -9: there is the former filter or the new one, never half of one. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFilterFile } from '../../src/server/passwords/filter-file.js';
import { launcher } from '../support/binary.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('the making of a filter, killed; that a listed password is refused: hibp, leaked-password');

const PASSWORDS = 200_000;
const KILLS = 8;

const sha1 = (text: string) => createHash('sha1').update(text).digest();
const linesOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${sha1(`${name} ${n}`).toString('hex').toUpperCase()}:${n + 1}\n`).join('');

t.test('kill -9 leaves the former filter, and what it leaves behind is no filter', async (t) => {
  const cwd = t.testdir({ 'old.txt': linesOf('old', 1000) });
  // Not sorted, so that blocks are written in any order.
  writeFileSync(join(cwd, 'new.txt'), linesOf('new', PASSWORDS));
  const filter = join(cwd, 'leaked.filter');
  const partials = () => readdirSync(cwd).filter((name) => name.endsWith('.partial'));
  const build = (from: string) => {
    const args = [launcher, 'passwords', 'build-filter', '--from', from, '--to', 'leaked.filter'];
    const env = { PATH: process.env['PATH'] ?? '' };
    const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore' });
    return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
  };
  const has = async (path: string, name: string) => {
    const opened = await openFilterFile(path);
    try {
      const asked = [0, 1, 500, 999].map((n) => opened.has(sha1(`${name} ${n}`)));
      return (await Promise.all(asked)).every(Boolean);
    } finally {
      await opened.close();
    }
  };

  const first = build('new.txt');
  while (partials().length === 0) await pause(2);
  first.child.kill('SIGKILL');
  t.equal((await first.ended)[1], 'SIGKILL');
  t.notOk(existsSync(filter), 'no filter where there was none');
  t.same(await build('old.txt').ended, [0, null]);
  t.ok(await has(filter, 'old'));
  const former = readFileSync(filter);

  let unfinished = partials().length;
  for (let round = 0; round < KILLS; round++) {
    const before = partials().length;
    const { child, ended } = build('new.txt');
    while (partials().length === before) await pause(2);
    await pause(round * 40);
    child.kill('SIGKILL');
    const [, signal] = await ended;
    if (signal === null || partials().length === before) {
      // It was faster: then the new filter is whole.
      t.ok(await has(filter, 'new'), 'the new filter is whole');
      writeFileSync(filter, former);
      continue;
    }
    unfinished += 1;
    t.ok(former.equals(readFileSync(filter)), `round ${round}: the former filter is unchanged`);
  }
  t.ok(unfinished > 1, `${unfinished} runs were interrupted while they wrote`);
  for (const name of partials()) {
    // As if it had been renamed by mistake.
    copyFileSync(join(cwd, name), join(cwd, 'half.filter'));
    await t.rejects(openFilterFile(join(cwd, 'half.filter')), { name: 'FilterFileError' });
  }

  const [abandoned, ...recent] = partials();
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(cwd, abandoned!), longAgo, longAgo);
  t.same(await build('new.txt').ended, [0, null], 'and the next run succeeds');
  t.ok(await has(filter, 'new'));
  t.same(partials(), recent, 'what was abandoned long ago is removed');
});
