import { spawnSync } from 'node:child_process';
import { allParts, mainUsage, readMainOptions } from '../../bench/lib/main-options.js';
import { readProfileOptions } from '../../bench/lib/profile-options.js';
import { parts } from '../../bench/lib/series.js';
import { cross, pickRows } from '../support/rows.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it starts the benches, which no change to src can break');

t.test('the default is five processes of everything', async (t) => {
  const options = readMainOptions({});
  t.match(options, { processes: 5, rounds: 1, seconds: 4, sigtermRuns: 10, gates: false, compare: undefined });
  t.same(options.only, Object.keys(parts));
});

t.test('--quick is shorter, and explicit lengths take precedence', async (t) => {
  t.match(readMainOptions({ quick: true }), { processes: 2, rounds: 1, seconds: 1, sigtermRuns: 2 });
  t.match(readMainOptions({ quick: true, rounds: '7' }), { processes: 2, rounds: 7, seconds: 1 });
  t.match(readMainOptions({ guard: true }), { processes: 5, rounds: 1, seconds: 0.5, only: ['refresh', 'password'] });
});

t.test('parts, a revision and threads', async (t) => {
  t.same(readMainOptions({ only: 'user, refresh' }).only, ['user', 'refresh']);
  t.match(readMainOptions({ compare: 'main~3', threads: '2' }), { compare: 'main~3', threads: 2, only: [] });
});

t.test('invalid values are errors that name the option', async (t) => {
  t.throws(() => readMainOptions({ rounds: '0' }), { message: /--rounds/ });
  t.throws(() => readMainOptions({ processes: '0' }), { message: /--processes/ });
  t.throws(() => readMainOptions({ seconds: '1e2' }), { message: /--seconds/ });
  t.throws(() => readMainOptions({ only: 'refresh,toString' }), { message: /--only/ });
  t.throws(() => readProfileOptions({}, ['signup']), { message: /refresh, user, health, password/ });
  t.throws(() => readProfileOptions({ only: 'instructions' }, ['password']), { message: /callgrind/ });
  t.throws(() => readProfileOptions({ answers: '1' }, []), { message: /--answers/ });
});

t.test('passwords are profiled without counting their instructions', async (t) => {
  t.match(readProfileOptions({}, ['password']), { traffic: 'password', only: ['time'] });
  t.match(readProfileOptions({}, []), { traffic: 'refresh', only: ['time', 'instructions'] });
});

t.test('the help of the main bench names every part and option', async (t) => {
  for (const word of [...allParts, '--processes', '--compare', '--threads', '--gates', '--guard'])
    t.match(mainUsage, word);
});

const programs = ['main', 'overload', 'soak', 'growth', 'pages', 'profile'];
// The profile of a stray word is read as traffic; the others share one reader.
const strays = pickRows(cross(programs, ['--turbo', 'stray']), [
  ([, stray]) => stray,
  ([name, stray]) => name === 'profile' && stray,
]);

for (const name of programs) {
  t.test(`${name} explains itself, and rejects unknown options and arguments`, async (t) => {
    const run = (option: string) =>
      spawnSync(process.execPath, [`dist/bench/${name}.js`, option], { encoding: 'utf8', timeout: 60_000 });
    const help = run('--help');
    t.match(help, { status: 0, stderr: '' });
    for (const word of ['Usage: npm run bench', '--quick', '--render', 'Exit code']) t.match(help.stdout, word);
    for (const [, stray] of strays.filter(([own]) => own === name)) {
      const wrong = run(stray);
      t.match(wrong, { status: 2, stdout: '' });
      t.match(wrong.stderr, name === 'profile' && stray === 'stray' ? /can be profiled/ : stray);
    }
  });
}
