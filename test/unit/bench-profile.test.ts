import { readTotal } from '../../bench/lib/callgrind.js';
import { nameFunction, nameModule, shares } from '../../bench/lib/cpu-profile.js';
import { instructionTable, shareTable } from '../../bench/lib/profile-report.js';
import { t } from '../support/tap.js';

t.test('callgrind writes the total of a round', async (t) => {
  t.equal(readTotal('# callgrind format\nversion: 1\nevents: Ir\n\nob=(1) node\n0 100\n\ntotals: 205\n'), 205);
  t.throws(() => readTotal(''), /Callgrind/);
});

t.test('the table has the median, the range and the change', async (t) => {
  const sides = [
    { revision: 'main', rounds: [205, 225, 205] },
    { revision: 'this checkout', rounds: [225] },
  ];
  t.same(instructionTable('refresh', sides).rows, [
    ['main', '205', '205–225', ''],
    ['this checkout', '225', '225–225', '+9.8 %'],
  ]);
});

const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 11 });

t.test('only busy time within the window counts', async (t) => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)', '') },
      { id: 2, callFrame: frame('read', 'file:///app/dist/src/server/http/body.js') },
      { id: 3, callFrame: frame('', 'node:events') },
    ],
    samples: [2, 1, 2, 3, 2, 2],
    timeDeltas: [100, 100, 300, 100, 100, 100],
    startTime: 1000,
  };
  t.same(shares(profile, nameFunction, 1150, 1750), [
    ['read dist/src/server/http/body.js:12', 0.8],
    ['anonymous node:events:12', 0.2],
  ]);
  t.same(
    shareTable('module', [
      ['src/server/http', 0.8],
      ['pg', 0.001],
    ]).rows,
    [['src/server/http', '80.0 %']],
  );
});

t.test('a function belongs to a package, a folder of src or node', async (t) => {
  const cases = {
    'file:///app/node_modules/pg-pool/index.js': 'pg-pool',
    'file:///app/node_modules/@node-rs/argon2/index.js': '@node-rs/argon2',
    'file:///app/dist/src/server/http/exchange.js': 'src/server/http',
    'file:///app/dist/src/db/users.js': 'src/db',
    'node:internal/crypto/hash': 'node',
    '': '(native)',
  };
  for (const [url, module] of Object.entries(cases)) t.equal(nameModule(frame('f', url)), module);
  t.equal(nameModule(frame('(garbage collector)', '')), '(garbage collector)');
});
