import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/server/config/load.js';
import { type FilterFile, openFilterFile } from '../../src/server/passwords/filter-file.js';
import { openPasswordChecks } from '../../src/server/passwords/index.js';
import { startLeakService } from '../support/leaked-passwords.js';
import { pickForm } from '../support/long-form.js';
import { runCommand } from '../support/run-command.js';
import { testEnvironment } from '../support/server.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull(
  'filters of a hundred thousand passwords, 5 s of processor time; that a listed password is refused: hibp, leaked-password',
);

const emptyFile = `${t.testdir({ 'empty.env': '' })}/empty.env`;
const build = (...args: string[]) => runCommand(['passwords', 'build-filter', ...args], {}, emptyFile);
const digest = (password: string): Buffer => createHash('sha1').update(password).digest();
const hex = (password: string): string => digest(password).toString('hex').toUpperCase();
/** Passwords p0 to p(n−1); p1 leaked once, p2 twice and so on. */
const lines = (count: number): string[] => Array.from({ length: count }, (_, i) => `${hex(`p${i}`)}:${i}`);

async function share(filter: FilterFile, digests: readonly Buffer[]): Promise<number> {
  let found = 0;
  for (const one of digests) if (await filter.has(one)) found += 1;
  return found / digests.length;
}

t.test('a filter has every password of the download, and few others', async (t) => {
  const folder = t.testdir();
  const [from, to] = [join(folder, 'download.txt'), join(folder, 'out.filter')];
  const count = 20_000;
  let first: Buffer | undefined;
  const others = Array.from({ length: 20_000 }, () => randomBytes(20));
  for (const [order, text] of [
    [
      'by hash',
      lines(count + 1)
        .slice(1)
        .sort()
        .join('\r\n'),
    ],
    [
      'by count',
      `${lines(count + 1)
        .slice(1)
        .reverse()
        .join('\n')}\n`,
    ],
  ] as const) {
    writeFileSync(from, text);
    const run = await build('--from', from, '--to', to, '--rate', '1e-3');
    t.equal(run.code, 0, run.err);
    t.match(run.out, `${to}: ${count} passwords`);
    const filter = await openFilterFile(to);
    const content = readFileSync(to).subarray(-4096 * filter.header.blocks);
    if (first === undefined) {
      const all = Array.from({ length: count }, (_, i) => digest(`p${i + 1}`));
      t.equal(await share(filter, all), 1, order);
      const wrong = await share(filter, others);
      t.ok(wrong < 2.2e-3, `${order}: ${wrong} of others`);
      first = content;
    } else t.ok(content.equals(first), 'the order of the download changes nothing');
    t.match(filter.header, { entries: count, rate: 1e-3, probes: 10 });
    await filter.close();
    const bits = (statSync(to).size * 8) / count;
    t.ok(bits < 17, `${order}: ${bits} bits each`);
    t.same(readdirSync(folder).sort(), ['download.txt', 'out.filter'], 'nothing else is left');
  }
});

t.test('the rate of the documentation takes 29 bits', async (t) => {
  const folder = t.testdir({ 'download.txt': lines(20_000).slice(1).join('\n') });
  const to = join(folder, 'out.filter');
  await build('--from', join(folder, 'download.txt'), '--to', to);
  const filter = await openFilterFile(to);
  t.equal(filter.header.probes, 20);
  t.ok(filter.header.blocks * 4096 * 8 < 19_999 * 29.1 + 4096 * 8);
  // Two of as many as run: a look-up takes 40 µs.
  const others = Array.from({ length: pickForm({ short: 20_000, full: 100_000 }) }, () => randomBytes(20));
  t.ok((await share(filter, others)) <= pickForm({ short: 1e-4, full: 2e-5 }));

  const startMs = performance.now();
  for (let i = 0; i < 2000; i++) await filter.has(others[i]!);
  t.comment(`a look-up takes ${(performance.now() - startMs) / 2} µs`);
  await filter.close();
});

t.test('--top takes the most frequent', async (t) => {
  const folder = t.testdir({ 'download.txt': lines(5000).sort().join('\n') });
  const to = join(folder, 'out.filter');
  const from = join(folder, 'download.txt');
  const run = await build('--from', from, '--to', to, '--top', '1k');
  t.match(run.out, '1000 passwords');
  const filter = await openFilterFile(to);
  t.equal(
    await share(
      filter,
      [4000, 4500, 4999].map((i) => digest(`p${i}`)),
    ),
    1,
  );
  t.equal(
    await share(
      filter,
      Array.from({ length: 3999 }, (_, i) => digest(`p${i}`)),
    ),
    0,
  );
  await filter.close();
});

t.test('a folder of range files', async (t) => {
  const folder = t.testdir();
  const ranges = join(folder, 'ranges');
  mkdirSync(ranges);
  const passwords = ['hunter2', 'letmein', 'dragon'];
  for (const password of passwords) {
    writeFileSync(join(ranges, `${hex(password).slice(0, 5)}.txt`), `${hex(password).slice(5)}:7\r\n`);
  }
  writeFileSync(join(ranges, 'readme.md'), 'not a range');
  const to = join(folder, 'out.filter');
  t.equal((await build('--from', ranges, '--to', to)).code, 0);
  const filter = await openFilterFile(to);
  t.equal(filter.header.entries, 3);
  t.equal(await share(filter, passwords.map(digest)), 1);
  await filter.close();
});

t.test('downloads that cannot be used leave the earlier filter in place', async (t) => {
  const folder = t.testdir({
    'ntlm.txt': `${'A'.repeat(32)}:1\n`,
    'empty.txt': '',
    'archive.7z': randomBytes(5000),
    'broken.txt': `${hex('a')}:1\n${hex('b')}:x\n`,
    'out.filter': 'the earlier one',
  });
  const to = join(folder, 'out.filter');
  for (const [name, problem] of [
    ['ntlm.txt', /line 1: not a SHA-1 in 40 hexadecimal digits/],
    ['empty.txt', /has no hashes/],
    ['archive.7z', /line \d+: not a SHA-1/],
    ['broken.txt', /line 2: not a SHA-1/],
    ['missing.txt', /cannot be read \(ENOENT\)/],
  ] as const) {
    const run = await build('--from', join(folder, name), '--to', to);
    t.equal(run.code, 1, name);
    t.match(run.err, problem, name);
    t.equal(readFileSync(to, 'utf8'), 'the earlier one', name);
  }
  t.equal(readdirSync(folder).length, 5, 'no partial file is left');
  for (const [option, value] of [
    ['--rate', '2'],
    ['--rate', 'x'],
    ['--top', '0'],
    ['--top', '10g'],
  ] as const) {
    const args = ['passwords', 'build-filter', '--from', join(folder, 'broken.txt'), option, value];
    t.equal((await runCommand(args, {}, emptyFile)).code, 2, `${option} ${value}`);
  }
  t.equal((await build()).code, 2);
});

t.test('files that are no filter, or half of one', async (t) => {
  const folder = t.testdir({ 'download.txt': lines(3000).slice(1).join('\n'), 'foreign.filter': 'x'.repeat(9000) });
  const at = (name: string): string => join(folder, name);
  await build('--from', at('download.txt'), '--to', at('good.filter'));
  const good = readFileSync(at('good.filter'));
  const altered = Buffer.from(good);
  altered.write('9', altered.indexOf('"blocks":') + 9);
  writeFileSync(at('altered.filter'), altered);
  writeFileSync(at('longer.filter'), Buffer.concat([good, Buffer.alloc(1)]));
  writeFileSync(at('short.filter'), good.subarray(0, good.length - 1));
  writeFileSync(at('stub.filter'), good.subarray(0, 10));
  for (const [name, problem] of [
    ['foreign.filter', /not a filter that `latchkey passwords build-filter` made/],
    ['stub.filter', /not a filter/],
    ['short.filter', /is truncated: it has \d+ bytes, not \d+\. Build or copy it again/],
    ['longer.filter', /is longer than it was built/],
    ['altered.filter', /damaged header/],
    ['missing.filter', /cannot be read \(ENOENT\)/],
    ['.', /cannot be read \(EISDIR\)|not a filter/],
  ] as const) {
    await t.rejects(openFilterFile(at(name)), problem, name);
  }
  const filter = await openFilterFile(at('good.filter'));
  truncateSync(at('good.filter'), 4096);
  await t.rejects(filter.has(digest('p1')), /truncated while it was in use/);
  await filter.close();
});

t.test('check passwords and the start of the server name the fault', async (t) => {
  const service = await startLeakService(t);
  service.leaked.add('password');
  const folder = t.testdir({ 'download.txt': [...lines(3000).slice(1), `${hex('password')}:9`].join('\n') });
  const at = (name: string): string => join(folder, name);
  await build('--from', at('download.txt'), '--to', at('good.filter'));
  writeFileSync(at('short.filter'), readFileSync(at('good.filter')).subarray(0, 5000));
  const environmentOf = (settings: Record<string, string>) => testEnvironment('postgres://127.0.0.1:1/none', settings);
  const check = (settings: Record<string, string>) =>
    runCommand(['check', 'passwords'], environmentOf(settings), emptyFile);

  t.match(await check({}), { code: 0, out: /leaked +off \(AUTH_PASSWORD_HIBP_ENABLED, AUTH_PASSWORD_HIBP_FILE\)/ });
  t.match(await check({ PASSWORD_HIBP_FILE: at('good.filter') }), { code: 0, out: /3000 passwords, built 2/ });
  const problem = /^The file of AUTH_PASSWORD_HIBP_FILE, .*short\.filter, is truncated: it has 5000 bytes/;
  t.match(await check({ PASSWORD_HIBP_FILE: at('short.filter') }), {
    code: 1,
    err: new RegExp(`^Without the settings of the database.*\n${problem.source.slice(1)}`),
  });
  const asked = { PASSWORD_HIBP_ENABLED: 'true', PASSWORD_HIBP_API_URL: service.url };
  t.match(await check(asked), { code: 0, out: /answered in \d+ ms/ });
  service.leaked.clear();
  t.match(await check(asked), { code: 1, err: /does not contain/ });
  service.fault = 'html';
  t.match(await check(asked), { code: 1, err: /accepted unchecked. Check AUTH_PASSWORD_HIBP_API_URL/ });
  const remote = await check({ PASSWORD_HIBP_API_URL: 'http://pwned.example.com' });
  t.match(remote, { code: 2, err: /AUTH_PASSWORD_HIBP_API_URL must begin with https/ });

  const log = { warn: () => undefined, info: () => undefined };
  const { config } = loadConfig({ environment: environmentOf({ PASSWORD_HIBP_FILE: at('short.filter') }), file: null });
  await t.rejects(openPasswordChecks({ config, log }), { message: problem });
  const open = loadConfig({ environment: environmentOf({ PASSWORD_HIBP_FILE: at('good.filter') }), file: null });
  const checks = await openPasswordChecks({ config: open.config, log });
  t.ok(Math.abs(checks.stats().filterBuiltAtSeconds! - Date.now() / 1000) < 60);
  await checks.close();
});
