import t from 'tap';
import { readCounts } from '../../bench/lib/callgrind.js';
import { describeCounts } from '../../bench/lib/count-report.js';

/** As the manual describes the format: names are written once, and the line after a call belongs to the called function. */
const FILE = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 1
positions: line
events: Ir

ob=(1) /usr/local/bin/node
fl=(1) ???
fn=(1) main
0 100
cob=(2) /usr/lib/libc.so.6
cfn=(2) malloc
calls=3 0
0 60
+1 20

ob=(2)
fn=(2)
0 60

ob=(3) ???
fn=(3) 0x4242
* 20
ob=(1)
fn=(4) v8::internal
0 5

totals: 205
`;

t.test('counts are those of each file, without what is called', async (t) => {
  const { total, byFile } = readCounts(FILE);
  t.equal(total, 205);
  t.same(
    [...byFile],
    [
      ['node', 125],
      ['libc.so.6', 60],
      ['', 20],
    ],
  );
});

t.test('a file whose parts do not make up its total is not believed', async (t) => {
  t.throws(() => readCounts(FILE.replace('0 60\n+1', '0 60\n+2 1\n+1')), /parts 206, total 205/);
  t.throws(() => readCounts(''), /Not a file of callgrind/);
});

t.test('the table tells the parts and the change', async (t) => {
  const counts = readCounts(FILE);
  const more = readCounts(FILE.replace('+1 20', '+1 40').replace('205', '225'));
  const table = describeCounts('refresh', 1, [
    { name: 'main', rounds: [counts, more, counts] },
    { name: 'this checkout', rounds: [more] },
  ]);
  t.match(table, /all +205 +225 +\+9\.8 %/);
  t.match(table, /from round to round +205–225 +225–225/);
  t.match(table, /node itself.* 125 +145 +\+16\.0 %/);
  t.match(table, /code made by V8 +20\.0 +20\.0 +\+0\.0 %/);
  t.match(table, /C and C\+\+ libraries +60\.0/);
  t.notMatch(describeCounts('user', 1, [{ name: 'this checkout', rounds: [counts] }]), /change/);
});
