/** Patterns by which a test fails on a busy machine, or beside other files in its process, without a fault. */
import { readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const PATTERNS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^void \w+\(/m, 'await it: tests that are added when the file is over are not run'],
  [
    /\bt\.(?:equal|match|same|ok|notOk)\(\s*\(?await [^;]{1,200}?\.(?:count|isVisible|textContent|inputValue|isDisabled)\(\)/,
    'read the page until it shows what is expected: test/support/soon.ts',
  ],
  [
    /\bt\.ok\(\s*(?:performance|Date)\.now\(\) - \w+ < [\d_]+\b/,
    'wait for a condition, or judge the quickest of some tries: test/support/quickest.ts',
  ],
];

t.test('no test passes or fails by luck', async (t) => {
  const files = readTree(['test'], '.test.ts').filter(({ path }) => !path.endsWith('.alone.test.ts'));
  t.ok(files.length > 100);
  const faults = files.flatMap(({ path, text }) =>
    PATTERNS.filter(([pattern]) => pattern.test(text)).map(([, instead]) => `${path}: ${instead}`),
  );
  t.same(faults, []);
});
