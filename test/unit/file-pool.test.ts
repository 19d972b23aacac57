import { fileURLToPath } from 'node:url';
import { FilePool, type FileResult, isGoodRun, renderCosts, renderEnd } from '../support/file-pool.js';
import { NO_FILE } from '../support/group-protocol.js';
import { SHOWN_BEFORE } from '../support/long-form.js';
import { onlyInFull, type Test, t } from '../support/tap.js';
import { readCounts, readCpuSeconds, readSkips } from '../support/tap-output.js';

onlyInFull('it starts a dozen processes with tap; every run of tests is one of the file pool');

const tap = fileURLToPath(import.meta.resolve('tap'));

const support = (name: string): string => fileURLToPath(new URL(`../support/${name}.js`, import.meta.url));
/** For files that share a process. */
const shared = `import { t } from '${support('tap')}';\nimport { skipHere } from '${support('not-here')}';\n`;

async function runAll(t: Test, texts: Record<string, string>, jobs = 2, timeoutSeconds = 30): Promise<FileResult[]> {
  const start = jobs === 1 ? shared : `import t from '${tap}';\n`;
  const files = Object.entries(texts).map(([name, text]) => [`${name}.mjs`, `${start}${text}`]);
  const directory = t.testdir(Object.fromEntries(files));
  const pool = new FilePool({
    jobs,
    readTimeoutSeconds: () => timeoutSeconds,
    cwd: directory,
    environmentOf: () => ({ WORD: 'word' }),
    sharesProcess: () => jobs === 1,
  });
  const results: FileResult[] = [];
  await pool.run(
    files.map(([name]) => name!),
    (result) => results.push(result),
  );
  return results.sort((a, b) => (a.file < b.file ? -1 : 1));
}

t.test('files run with their environment, and their tests are counted', async (t) => {
  const results = await runAll(t, {
    good: `t.equal(process.env.WORD, 'word'); t.test('inner', async (t) => t.ok(true));`,
    bad: `t.test('inner', async (t) => { t.ok(true); t.equal(1, 2, 'one is two'); });`,
  });
  t.match(results, [
    { file: 'bad.mjs', isGood: false, passed: 1, failed: 1, output: /not ok 2 - one is two/ },
    { file: 'good.mjs', isGood: true, passed: 2, failed: 0 },
  ]);
});

/** What tap prints of one assertion that holds, without the half second of processor time that loading it takes. */
const printsOne = `console.log('ok 1 - should be truthy\\n1..1\\n# { total: 1, pass: 1 }');`;

/** Runs files of one assertion each, of which some wait. @returns their names in the order in which they started */
async function startOrder(t: Test, names: readonly string[], jobs: number): Promise<string[]> {
  const directory = t.testdir(Object.fromEntries(names.map((name) => [name, printsOne])));
  const started: string[] = [];
  const pool = new FilePool({
    jobs,
    readTimeoutSeconds: () => 30,
    cwd: directory,
    waits: (file) => file.startsWith('waits'),
    environmentOf: (file) => {
      started.push(file);
      return {};
    },
  });
  await pool.run(names, ({ file, isGood }) => t.ok(isGood, file));
  t.same(started.toSorted(), names.toSorted(), 'each has run once');
  return started;
}

t.test('a file that waits runs beside one that computes, while there are both', async (t) => {
  const names = ['waits-1', 'waits-2', 'computes-1', 'computes-2'].map((name) => `${name}.mjs`);
  const started = await startOrder(t, names, 2);
  t.same(started.slice(0, 2).sort(), ['computes-1.mjs', 'waits-1.mjs']);
});

t.test('of five files at a time two wait; where none does, the others run all the same', async (t) => {
  const computing = [1, 2, 3, 4].map((n) => `computes-${n}.mjs`);
  const waiting = ['waits-1.mjs', 'waits-2.mjs', 'waits-3.mjs'];
  const started = await startOrder(t, [...waiting, ...computing], 5);
  t.same(started.slice(0, 5).sort(), [...computing.slice(0, 3), ...waiting.slice(0, 2)]);
  await startOrder(t, computing, 5);
});

t.test('a file that ends early, crashes, hangs or has no tests fails', async (t) => {
  const results = await runAll(
    t,
    {
      crashes: `t.ok(true); setTimeout(() => { throw new Error('crash'); }); t.test('waits', () => new Promise(() => setTimeout(() => {}, 1e6)));`,
      early: `t.ok(true); process.reallyExit(0);`,
      hangs: `t.setTimeout(0); t.test('waits', { timeout: 0 }, () => new Promise(() => setTimeout(() => {}, 1e6)));`,
      nothing: '',
    },
    4,
    2,
  );
  t.same(
    results.map(({ file, isGood }) => [file, isGood]),
    ['crashes', 'early', 'hangs', 'nothing'].map((name) => [`${name}.mjs`, false]),
  );
  for (const { failed } of results) t.ok(failed >= 1);
  t.match(results[2]!.output, /ended after 6 s/);
});

t.test('a file or test that gives a reason is skipped, unless something fails', async (t) => {
  const inner = `t.test('outer', async (t) => { await t.test('inner', async (t) => t.plan(0, 'not here')); });`;
  const results = await runAll(t, {
    'a-skips': `t.plan(0, 'no browser on this machine');`,
    'b-skips-and-fails': `t.plan(0, 'no browser'); process.exitCode = 1;`,
    'c-skips-in-part': `${inner} t.test('other', async (t) => t.plan(0, 'nor here')); t.ok(true);`,
    'd-skips-all-its-tests': `${inner}`,
    'e-asserts-nothing': `t.test('inner', async () => {}); t.ok(true);`,
  });
  t.same(
    results.map(({ isGood, skipped, passed }) => ({ isGood, skipped, passed })),
    [
      { isGood: true, skipped: ['no browser on this machine'], passed: 0 },
      { isGood: false, skipped: ['no browser'], passed: 0 },
      { isGood: true, skipped: ['inner: not here', 'other: nor here'], passed: 1 },
      { isGood: true, skipped: ['inner: not here'], passed: 0 },
      { isGood: false, skipped: [], passed: 2 },
    ],
  );
});

t.test('a run is good when nothing failed, also when all of it was skipped, but not without a file', async (t) => {
  const [passes, skips, fails] = [
    { passed: 3, skipped: [] },
    { passed: 0, skipped: ['no browser'] },
    { passed: 0, skipped: [] },
  ];
  t.ok(isGoodRun([passes], 0));
  t.ok(isGoodRun([skips, skips], 0));
  t.notOk(isGoodRun([passes, skips], 1));
  t.notOk(isGoodRun([fails], 0));
  t.notOk(isGoodRun([], 0));
});

t.test('a file that is skipped in a shared process is one skip', async (t) => {
  // The file is a test of that process, which tap names beside the plan of the file.
  const output = '1..0 # no browser\nok 1 - /srv/test/a.test.js # SKIP no browser\n';
  t.same(readSkips(output, '/srv/test/a.test.js'), ['no browser']);
});

t.test('a test that is left out since npm test runs it is no skip', async (t) => {
  const output = `ok 1 - a page # SKIP ${SHOWN_BEFORE}\nok 2 - another page # SKIP no browser\n`;
  t.same(readSkips(output, '/srv/test/a.test.js'), ['another page: no browser']);
});

t.test('a file skips all of its tests, or what follows others, in a shared process, too', async (t) => {
  const skip = `skipHere(t, 'no browser');`;
  const one = `t.test('runs', async (t) => t.ok(true));`;
  const results = await runAll(t, { 'a-rest': `${one} ${skip}`, 'b-all': skip, 'c-other': one }, 1);
  t.match(results, [
    { isGood: true, skipped: ['what follows in this file: no browser'], failed: 0 },
    { isGood: true, skipped: ['what follows in this file: no browser'], failed: 0 },
    { isGood: true, skipped: [], failed: 0 },
  ]);
});

t.test('a failure outside of the files of a shared process fails a later one, or the run, and is shown', async (t) => {
  // Both run in one process, so the one can say when the work that the other has left goes on.
  const leaves = `t.test('leaves work', async (t) => {
    t.ok(true);
    new Promise((goOn) => { globalThis.goOn = goOn; }).then(() => t.equal(1, 2, 'one is two'));
  });`;
  const waits = `t.test('waits', async (t) => {
    globalThis.goOn();
    await new Promise((done) => setTimeout(done));
    t.ok(true);
  });`;
  const isShown = { isGood: false, failed: 1, output: /outside of the file: test assertion after Promise/ };
  // It is counted with the file after.
  const results = await runAll(t, { 'a-leaves': leaves, 'b-waits': waits, 'c-after': `t.ok(true);` }, 1);
  t.match(results, [{ isGood: true }, { isGood: true }, isShown]);
  const [end, ...files] = await runAll(t, { 'a-leaves': leaves, 'b-waits': waits }, 1);
  t.match(files, [{ isGood: true }, { isGood: true }]);
  t.match(end, { ...isShown, file: NO_FILE });
});

t.test('an error that no test catches fails its file at once in a shared process, and the next ones run', async (t) => {
  const throws = (deed: string) =>
    `t.test('throws', async (t) => { t.ok(true); setTimeout(() => { ${deed} }); await new Promise(() => {}); });`;
  const isShown = { isGood: false, failed: 1, output: /not ok - an error that no test has caught: .*\bcrash\b/ };
  const results = await runAll(
    t,
    {
      'a-throws': throws(`throw new Error('crash');`),
      'b-after': `t.ok(true);`,
      'c-rejects': throws(`Promise.reject(new Error('crash'));`),
      'd-after': `t.ok(true);`,
    },
    1,
  );
  t.match(results, [isShown, { isGood: true }, isShown, { isGood: true }]);
  // As it is told that there is no more, and between two files.
  const atEnd = `process.stdin.once('end', () => { throw new Error('crash'); }); t.ok(true);`;
  t.match(await runAll(t, { 'a-leaves': atEnd }, 1), [{ ...isShown, file: NO_FILE }, { isGood: true }]);
  const between = `const write = process.stdout.write;
    process.stdout.write = (text, ...more) => {
      if (text.includes('latchkey report')) setImmediate(() => { throw new Error('crash'); });
      return write.call(process.stdout, text, ...more);
    };
    t.ok(true);`;
  const all = await runAll(t, { 'a-leaves': between, 'b-after': `t.ok(true);` }, 1);
  t.match(
    all.filter(({ isGood }) => !isGood),
    [isShown],
    'it fails the next file, or none',
  );
  t.match(
    all.find(({ file }) => file === 'a-leaves.mjs'),
    { isGood: true },
  );
});

t.test('the end of a run lists failed files and skipped tests; the last line has only the counts', async (t) => {
  const file = (name: string, skipped: string[]) => ({ file: `dist/test/${name}.test.js`, isGood: true, skipped });
  const counts = { passed: 7, failed: 0 };
  t.equal(renderEnd([file('a', [])], counts), '\n7 passed, 0 failed\n');
  t.equal(
    renderEnd([file('a', ['x: no b (Debian: apt-get install b)', 'y']), file('c', ['d'])], counts),
    `
3 skipped:
  dist/test/a.test.js: x: no b (Debian: apt-get install b)
  dist/test/a.test.js: y
  dist/test/c.test.js: d

7 passed, 0 failed
`,
  );
  t.equal(
    renderEnd([{ ...file('a', []), isGood: false }], { passed: 1, failed: 2 }),
    '\nFailed:\n  dist/test/a.test.js\n\n1 passed, 2 failed\n',
  );
});

t.test('counts are read from the last totals of the file itself', async (t) => {
  t.same(readCounts('# { total: 7, pass: 3, fail: 4 }\n'), { passed: 3, failed: 4 });
  t.same(readCounts('ok 1\n# { total: 7, pass: 7 }\n# time=3ms\n'), { passed: 7, failed: 0 });
  t.equal(readCounts('    # { total: 7, pass: 7 }'), undefined);
});

t.test('processor time is that of the file and of the processes it waited for', async (t) => {
  const burn =
    'for (const end = process.cpuUsage().user + 5e5; process.cpuUsage().user < end; ) for (let n = 1e5; n > 0; n--);';
  const results = await runAll(t, {
    'a-self': `${burn} t.ok(true);`,
    'b-child': `import { spawnSync } from 'node:child_process'; spawnSync(process.execPath, ['-e', '${burn}']); t.ok(true);`,
    'c-idle': `t.test('waits', async (t) => { await new Promise((done) => setTimeout(done, 500)); t.ok(true); });`,
  });
  t.ok(results.every(({ isGood }) => isGood));
  const [self, child, idle] = results.map(({ cpuSeconds }) => cpuSeconds!);
  t.ok(self! > 0.5 && child! > 0.5, `${self} s, ${child} s`);
  t.ok(idle! < self! - 0.2, `${idle} s`);

  t.equal(readCpuSeconds('0m0.00s 0m0.01s\n1m2.50s 0m0.25s\n'), 62.75);
  t.equal(readCpuSeconds(''), undefined);
  t.equal(
    renderCosts(
      [
        { file: 'a', cpuSeconds: 1.25 },
        { file: 'b', cpuSeconds: undefined },
        { file: 'c', cpuSeconds: 9 },
      ],
      4,
    ),
    '\nProcessor time: files 10 s, Postgres 4 s. Most:\n  9.0 s c\n  1.3 s a\n  0.0 s b\n',
  );
});
