/** `.ci/run` with a fake npm: the last line and the exit code are right. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeScratchDirectory } from '../support/postgres.js';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { type Test, t } from '../support/tap.js';

/** The fake apt-get: no packages; packages that it cannot install; packages that it installs one at a time. */
type Archive = 'none' | 'reachable' | 'single';

const aptGet: Readonly<Record<Archive, string>> = {
  none: 'exit 100',
  reachable: '[ "$1" = update ]',
  single: 'echo "$*" >> "$(dirname "$0")/apt.log"; [ "$1" = update ] || [ $# -le 5 ]',
};

interface Steps {
  readonly archive?: Archive;
  /** The machine has only these programs. Default: those it has. */
  readonly programs?: readonly string[];
  readonly ci?: string;
  readonly lint?: string;
  readonly audit?: string;
  readonly test?: string;
  readonly rest?: string;
  readonly bench?: string;
}

/** Runs the script; each step is shell code in place of the npm command. */
function runCi(t: Test, given: Steps) {
  const {
    archive = 'none',
    ci = 'true',
    lint = 'true',
    audit = 'true',
    test = 'echo "7 passed, 0 failed"',
    rest = 'echo "3 passed, 0 failed"',
    bench = 'true',
  } = given;
  const npm = `#!/bin/sh
echo "npm $*\${LATCHKEY_TEST_COVERAGE:+ with coverage}"
case "$*" in
  ci) ${ci} ;;
  "run lint") ${lint} ;;
  "run audit"*) ${audit} ;;
  test) ${test} ;;
  "run test:full -- --rest") ${rest} ;;
  "run --silent bench"*) ${bench} ;;
  *) exit 99 ;;
esac
`;
  // A machine that has none of Debian's programs and cannot get them either: that must change nothing.
  const programs = {
    npm,
    id: '#!/bin/sh\necho 0\n',
    'apt-get': `#!/bin/sh\n${aptGet[archive]}\n`,
    'apt-cache': `#!/bin/sh
case "$2" in
  pgbouncer|caddy) echo "$2:"; echo "  Candidate: 1.0-1" ;;
  *) echo "$2:"; echo "  Candidate: (none)" ;;
esac
`,
  };
  const bin = t.testdir(programs);
  for (const name of Object.keys(programs)) spawnSync('chmod', ['+x', `${bin}/${name}`]);
  const path = given.programs === undefined ? process.env['PATH'] : linkPrograms(t, given.programs);
  const { status, stdout } = spawnSync(`${repository}.ci/run`, [], {
    encoding: 'utf8',
    // This test may itself be a part of such a run.
    env: { ...process.env, PATH: `${bin}${delimiter}${path}`, LATCHKEY_TEST_COVERAGE: undefined },
  });
  const lines = stdout.trimEnd().split('\n');
  const log = `${bin}/apt.log`;
  return {
    status,
    lines,
    asked: existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [],
    last: lines.at(-1),
    steps: lines.filter((line) => line.startsWith('npm ') && !line.endsWith('failed')),
  };
}

/** @returns a directory with only those programs of this machine */
function linkPrograms(t: Test, names: readonly string[]): string {
  const directory = makeScratchDirectory();
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const places = process.env['PATH']!.split(delimiter);
  for (const name of names) {
    const place = places.find((one) => existsSync(join(one, name)));
    if (place !== undefined) symlinkSync(join(place, name), join(directory, name));
  }
  return directory;
}

t.test('everything passes', async (t) => {
  const { steps, status, last } = runCi(t, {});
  t.same({ status, last }, { status: 0, last: '10 passed, 0 failed' });
  t.same(steps, [
    'npm ci',
    'npm run lint',
    'npm test with coverage',
    'npm run test:full -- --rest',
    'npm run --silent bench -- --guard --guard-percent 50',
  ]);
});

t.test('it says where the time went', async (t) => {
  const times = ({ lines }: ReturnType<typeof runCi>) => lines.at(-3)?.replaceAll(/ \d+(?=[,;]|$)/g, ' N');
  const early = 'Seconds: npm ci N, lint and audit N, programs of Debian still missing N, npm test N';
  const rest = 'npm run test:full -- --rest N';
  t.equal(times(runCi(t, {})), `${early}, ${rest}, guard N; all N`);
  t.equal(times(runCi(t, { test: 'exit 2' })), `${early}; all N`);
  t.equal(times(runCi(t, { ci: 'exit 1' })), 'Seconds: npm ci N; all N');
});

t.test('a failing test', async (t) => {
  const { status, last } = runCi(t, { test: 'echo "6 passed, 1 failed"; echo "npm error"; exit 1' });
  t.same({ status, last }, { status: 1, last: '9 passed, 1 failed' });
});

t.test('a failing test whose exit code was lost', async (t) => {
  const { status, last } = runCi(t, { test: 'echo "6 passed, 1 failed"' });
  t.same({ status, last }, { status: 1, last: '9 passed, 1 failed' });
});

t.test('a failing test of the rest is counted, too', async (t) => {
  const failing = runCi(t, { rest: 'echo "2 passed, 1 failed"; exit 1' });
  t.match(failing, { status: 1, last: '9 passed, 1 failed' });
  const early = runCi(t, { rest: 'exit 2' });
  t.match(early, { status: 1, last: '7 passed, 1 failed' }, 'it came to no counts');
});

t.test('a test run that is interrupted after its counts', async (t) => {
  const { status, last } = runCi(t, { test: 'echo "6 passed, 0 failed"; exit 134' });
  t.same({ status, last }, { status: 1, last: '9 passed, 1 failed' });
});

t.test('a build that fails before any test', async (t) => {
  const { status, last, steps } = runCi(t, { test: 'echo "src/a.ts(1,1): error TS2322"; exit 2' });
  t.same({ status, last }, { status: 1, last: '0 passed, 1 failed' });
  t.match(steps.at(-1), 'npm test', 'the rest would not build either');
});

t.test('a lint finding is counted, and the tests still run', async (t) => {
  const { status, last } = runCi(t, { lint: 'exit 1' });
  t.same({ status, last }, { status: 1, last: '10 passed, 1 failed' });
});

t.test('an advisory is counted; a registry without advisories is not', async (t) => {
  const advised = runCi(t, { audit: 'echo "1 high severity vulnerability"; exit 1' });
  t.match(advised, { status: 1, last: '10 passed, 1 failed' });
  const mute = runCi(t, { audit: 'echo "npm error audit endpoint returned an error"; exit 1' });
  t.match(mute, { status: 0, last: '10 passed, 0 failed' });
});

t.test('a server that has become much slower is counted', async (t) => {
  const { status, last } = runCi(t, { bench: 'exit 1' });
  t.same({ status, last }, { status: 1, last: '10 passed, 1 failed' });
});

/** Prints the end of a run that skipped tests because packages are missing. */
const skipping = (...packages: string[]): string =>
  [
    `echo "${packages.length} skipped:"`,
    ...packages.map(
      (name) => `echo "  dist/test/a.test.js: x: no thing on this machine (Debian: apt-get install ${name})"`,
    ),
    'echo "  dist/test/b.test.js: y: only root can do this"',
    'echo; echo "7 passed, 0 failed"',
  ].join('\n');

t.test('a test that was skipped although its program could be installed is a failure', async (t) => {
  const { status, last, lines } = runCi(t, { archive: 'reachable', test: skipping('pgbouncer', 'pgbouncer', 'caddy') });
  t.same({ status, last }, { status: 1, last: '10 passed, 2 failed' }, 'once for each program');
  for (const name of ['pgbouncer', 'caddy']) {
    t.ok(lines.includes(`Tests were skipped because ${name} is missing, which can be installed here failed`), name);
  }
});

t.test('a test that was skipped for a program that cannot be installed is not', async (t) => {
  const unknown = runCi(t, { archive: 'reachable', test: skipping('envoy') });
  t.match(unknown, { status: 0, last: '10 passed, 0 failed' }, 'the distribution does not have it');
  const away = runCi(t, { archive: 'none', test: skipping('pgbouncer') });
  t.match(away, { status: 0, last: '10 passed, 0 failed' }, 'the archive cannot be reached');
});

t.test('.ci/run installs every package that a test needs', async (t) => {
  const script = readSource('.ci/run').text;
  const [, listed = ''] = /^programs=\(([^)]*)\)/m.exec(script) ?? [];
  const packages = listed
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(':')[1]);
  const asked = readTree(['test'], '.ts')
    .filter(({ path }) => path !== 'test/conventions/ci-run.test.ts')
    .flatMap(({ text }) => [
      ...[...text.matchAll(/missingProgram\([^,)]+, '([^']+)'\)/g)].map(([, name]) => name!),
      ...[...text.matchAll(/^ {4}install: '([^']+)',$/gm)].map(([, name]) => name!),
    ]);
  t.ok(asked.length > 8, `${asked.length} are asked for`);
  t.same([...new Set(asked)].sort(), [...packages].sort());
});

t.test('missing programs are installed in one go, and each by itself where that fails', async (t) => {
  const programs = ['env', 'bash', 'sh', 'awk', 'dirname', 'grep', 'mktemp', 'rm', 'sort', 'timeout'];
  const { asked, status, lines } = runCi(t, { archive: 'single', programs });
  t.equal(status, 0);
  const install = 'install -y -qq --no-install-recommends';
  t.same(asked.slice(1), [`${install} caddy pgbouncer`, `${install} caddy`, `${install} pgbouncer`]);
  t.notOk(lines.some((line) => line.startsWith('Not installed')));
});

t.test('an install that fails', async (t) => {
  const { status, last, steps } = runCi(t, { ci: 'exit 1' });
  t.same({ status, last }, { status: 1, last: '0 passed, 1 failed' });
  t.same(steps, ['npm ci']);
});

t.test('it is executable, and runs the commands of the README', async (t) => {
  accessSync(`${repository}.ci/run`, constants.X_OK);
  const readme = readSource('README.md').text;
  t.match(readme, 'npm ci && npm start\n');
  t.match(readme, 'npm ci && npm test\n');
  const { scripts } = JSON.parse(readSource('package.json').text);
  for (const name of ['start', 'dev', 'build', 'test', 'lint', 'format', 'typecheck', 'docs', 'bench']) {
    t.type(scripts[name], 'string', `npm run ${name}`);
  }
});
