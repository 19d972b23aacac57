import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launcher } from '../support/binary.js';
import { createTestDatabase } from '../support/database.js';
import { pickForm } from '../support/long-form.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'an import of ten thousand rows, three times; what an import does: users-import, and kill -9 of a server: rel-14-kill',
);

const ROWS = pickForm({ short: 10_000, long: 20_000 });
/** Every BAD-th row is invalid. */
const BAD = 250;

t.test('users import: after kill -9 it resumes where it stopped, without loss or duplicates', async (t) => {
  const { url, admin } = await createTestDatabase(t);
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-import-kill-'));
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }));
  const rows = Array.from({ length: ROWS }, (_, n) =>
    n % BAD === 0 ? `{"email":"bad ${n}"}` : JSON.stringify({ id: randomUUID(), email: `u${n}@x.test` }),
  );
  writeFileSync(join(cwd, 'users.ndjson'), `${rows.join('\n')}\n`);
  const bookmark = join(cwd, 'users.ndjson.bookmark');
  const placeNow = (): number => (existsSync(bookmark) ? JSON.parse(readFileSync(bookmark, 'utf8')).line : 0);
  const start = () => {
    const child = spawn(process.execPath, [launcher, 'users', 'import', 'users.ndjson', '--json'], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...testEnvironment(url) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    return { child, ended: once(child, 'exit').then(([code, signal]) => ({ code, signal, out })) };
  };

  for (const line of [ROWS / 5, ROWS / 2]) {
    const { child, ended } = start();
    while (placeNow() < line && child.exitCode === null) await pause(5);
    child.kill('SIGKILL');
    t.equal((await ended).signal, 'SIGKILL', `killed at line ${placeNow()}`);
    t.ok(placeNow() >= line && placeNow() < ROWS);
  }
  const { code, out } = await start().ended;
  t.equal(code, 1);
  const { imported, skipped, refused } = JSON.parse(out);
  t.equal(refused, ROWS / BAD);
  t.equal(imported + skipped, ROWS - ROWS / BAD);
  t.ok(skipped <= 2000, 'at most one batch of each kill comes again');
  const { rows: counted } = await admin.query('select count(*)::int, count(distinct email)::int as emails from users');
  t.same(counted[0], { count: ROWS - ROWS / BAD, emails: ROWS - ROWS / BAD });
  const kept = readFileSync(join(cwd, 'users.refused.ndjson'), 'utf8').trimEnd().split('\n');
  t.same(
    kept,
    rows.filter((_, n) => n % BAD === 0),
    'each refused row once',
  );
  t.notOk(existsSync(bookmark));
});
