import t from 'tap';
import { makeBriefer, readCounts } from '../support/brief.js';

t.test('a passing file is one line, a failing one is shown whole', async (t) => {
  const output = `TAP version 14
1..2
# Subtest: good.test.js
    ok 1 - fine
    1..1
ok 1 - good.test.js
# Subtest: bad.test.js
    not ok 1 - broken
      ---
      ...
    1..1
not ok 2 - bad.test.js
  ---
  exitCode: 1
  ...
# { total: 2, pass: 1, fail: 1 }`;
  const brief = makeBriefer();
  const shown = output.split('\n').flatMap((line) => brief(line));
  t.same(shown, [
    'ok 1 - good.test.js',
    '# Subtest: bad.test.js',
    '    not ok 1 - broken',
    '      ---',
    '      ...',
    '    1..1',
    'not ok 2 - bad.test.js',
    '  ---',
    '  exitCode: 1',
    '  ...',
  ]);
});

t.test('counts are read from the totals alone', async (t) => {
  t.same(readCounts('# { total: 7, pass: 3, fail: 4 }'), { passed: 3, failed: 4 });
  t.same(readCounts('# { total: 7, pass: 7 }'), { passed: 7, failed: 0 });
  t.equal(readCounts('    # { total: 7, pass: 7 }'), undefined);
});
