import t from 'tap';
import { cases, parseBenchArguments, usage } from '../../bench/lib/arguments.js';

t.test('five rounds of everything unless told otherwise', async (t) => {
  const wanted = parseBenchArguments([]);
  t.match(wanted, { rounds: 5, seconds: 4, sigtermRuns: 10, quick: false, gates: false, compare: undefined });
  t.same([...wanted.only], Object.keys(cases));
});

t.test('--quick is shorter, and what is said still counts', async (t) => {
  t.match(parseBenchArguments(['--quick']), { quick: true, rounds: 2, seconds: 1, sigtermRuns: 2 });
  t.match(parseBenchArguments(['--quick', '--rounds', '7']), { rounds: 7, seconds: 1 });
});

t.test('parts, a revision and threads', async (t) => {
  t.same([...parseBenchArguments(['--only', 'user, refresh']).only], ['user', 'refresh']);
  t.match(parseBenchArguments(['--compare', 'main~3', '--threads=2']), { compare: 'main~3', threads: 2 });
});

t.test('what it does not understand it refuses, naming the option', async (t) => {
  t.throws(() => parseBenchArguments(['--rounds', '0']), { message: /--rounds/ });
  t.throws(() => parseBenchArguments(['--seconds', '1e2']), { message: /--seconds/ });
  t.throws(() => parseBenchArguments(['--only', 'refresh,toString']), { message: /--only/ });
  t.throws(() => parseBenchArguments(['--turbo']), { message: /--turbo/ });
  t.throws(() => parseBenchArguments(['stray']));
});

t.test('the help names every part and option', async (t) => {
  for (const word of [...Object.keys(cases), '--compare', '--quick', '--threads', '--gates']) t.match(usage, word);
});
