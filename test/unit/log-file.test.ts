import fs, { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LogTarget, openLogFile } from '../../src/server/telemetry/log-file.js';
import { ownProcess, type Test, t } from '../support/tap.js';
import { until } from '../support/until.js';

ownProcess('timers of the process are replaced');

function open(t: Test, path: string) {
  const stderr: string[] = [];
  const changes: (string | null)[] = [];
  const fallback: LogTarget = { write: (line) => void stderr.push(line), flushSync: () => undefined };
  let failures = 0;
  const file = openLogFile({
    path,
    fallback,
    onChange: (failure) => changes.push(failure === null ? null : (failure.code ?? '?')),
    onFailure: () => {
      failures += 1;
    },
  });
  t.teardown(() => file.flushSync());
  return { file, stderr, changes, failures: () => failures };
}

const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Writes numbered lines until one is at `isThere`; the file is looked at once a second. */
async function writeUntil(file: LogTarget, word: string, isThere: (line: string) => boolean): Promise<void> {
  let n = 0;
  await until(() => {
    const line = `${word}-${n}`;
    if (n > 0 && isThere(`${word}-${n - 1}`)) return true;
    file.write(`${line}\n`);
    n += 1;
    return false;
  });
}

t.test('lines are appended in order, and the directory is created', async (t) => {
  const path = join(t.testdir({}), 'deep', 'latchkey.log');
  const { file, stderr } = open(t, path);
  for (let i = 0; i < 500; i++) file.write(`line ${i} ${'x'.repeat(40)}\n`);
  await until(() => read(path).includes('line 499'));
  t.same(
    read(path)
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[1])),
    [...Array(500).keys()],
  );
  t.equal(statSync(path).mode & 0o007, 0, 'not readable by others');
  t.same(stderr, []);
  file.write('last words\n');
  file.flushSync();
  t.match(read(path), /last words\n$/);
});

t.test('after a rename a new file is opened within about a second, and no line is lost', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const { file, stderr, changes } = open(t, path);
  file.write('before\n');
  await until(() => read(path) === 'before\n');
  renameSync(path, `${path}.1`);
  await writeUntil(file, 'after', (line) => read(path).includes(line));
  const old = read(`${path}.1`);
  t.match(old, /^before\n/);
  const all = `${old}${read(path)}`.match(/after-\d+/g)!.map((line) => Number(line.slice(6)));
  t.same(all, [...all.keys()], 'each line once, in order');
  t.same([stderr, changes], [[], []]);
});

t.test('copying and truncating works too', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const { file } = open(t, path);
  file.write('before\n');
  await until(() => read(path) === 'before\n');
  truncateSync(path);
  file.write('after\n');
  await until(() => read(path) !== '');
  t.equal(read(path), 'after\n');
});

t.test(
  'while its directory is gone lines go to the fallback, and the file is used again when it is back',
  async (t) => {
    const directory = join(t.testdir({}), 'logs');
    const path = join(directory, 'latchkey.log');
    const { file, stderr, changes, failures } = open(t, path);
    rmSync(directory, { recursive: true });
    await writeUntil(file, 'lost', (line) => stderr.join('').includes(line));
    t.same(changes, ['ENOENT'], 'said once');
    t.ok(failures() >= 1);
    mkdirSync(directory);
    await writeUntil(file, 'found', (line) => read(path).includes(line));
    // The bytes are visible before the write callback.
    await until(() => changes.length > 1);
    t.same(changes, ['ENOENT', null]);
  },
);

t.test('lines of any length and script are written unchanged, in order', async (t) => {
  const path = join(t.testdir({}), 'latchkey.log');
  const { file, stderr } = open(t, path);
  // Pages have 128 KiB; a character takes up to 3 bytes; some lines fill a page exactly, some are longer.
  const lines = Array.from({ length: 400 }, (_, i) => {
    const length = [1, 350, 9_000, 43_690, 43_691, 200_000][i % 6]!;
    return `${i} ${['x', 'é', '語', '🔑'][i % 4]!.repeat(Math.ceil(length / (i % 4 === 3 ? 2 : 1)))}\n`;
  });
  const text = lines.join('');
  const byteCount = Buffer.byteLength(text);
  for (const [i, line] of lines.entries()) {
    file.write(line);
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(() => existsSync(path) && statSync(path).size >= byteCount);
  t.ok(read(path) === text);
  for (const line of lines) file.write(line);
  file.flushSync();
  await until(() => statSync(path).size >= 2 * byteCount);
  t.equal(statSync(path).size, 2 * byteCount, 'and none twice');
  t.same(stderr, []);
});

t.test('lines that arrive during a write wait for the next one', async (t) => {
  let writes = 0;
  const { write } = fs;
  const captured = t.capture(fs, 'write', (...given: Parameters<typeof write>) => {
    writes += 1;
    write(...given);
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  syncBuiltinESMExports();
  t.teardown(() => {
    captured.restore();
    syncBuiltinESMExports();
    mock.timers.reset();
  });
  const path = join(t.testdir({}), 'latchkey.log');
  const { file } = open(t, path);
  const size = 262_144;
  file.write(`${'x'.repeat(size - 1)}\n`);
  while (writes === 0) await nextTurn();
  file.write('later\n');
  while (statSync(path).size < size) await nextTurn();
  for (let i = 0; i < 20; i++) await nextTurn();
  t.equal(writes, 1);
  mock.timers.tick(100);
  while (!read(path).endsWith('later\n')) await nextTurn();
  t.equal(writes, 2);
});
