import { hasFullForm, hasLongForm, isFullOnly, isLongOnly } from '../support/long-form.js';
import { coverValues, cross, leaveOut } from '../support/rows.js';
import { t } from '../support/tap.js';

const first = <Value>([value]: readonly [Value, ...unknown[]]): Value => value;

t.test('each value of each column is shown, by as few rows as the longest column has', async (t) => {
  const pages = Array.from({ length: 9 }, (_, index) => `page ${index}`);
  const [themes, widths] = [
    ['light', 'dark'],
    [320, 1280, 1920],
  ] as const;
  const rows = cross(pages, themes, widths);
  t.equal(rows.length, 54);
  const picked = coverValues(rows, [first, ([, theme]) => theme, ([, , width]) => width]);
  t.equal(picked.length, 9);
  t.same(picked.map(first), pages, 'in their order');
  const count = (value: unknown) => picked.filter((row) => row.some((one) => one === value)).length;
  t.same(widths.map(count), [3, 3, 3], 'short columns take turns');
  t.same(themes.map(count).sort(), [4, 5]);
  t.same(
    coverValues(rows, [first, ([, theme]) => theme, ([, , width]) => width]),
    picked,
    'the choice is the same each time',
  );
});

t.test('a pair that is a column is shown for each of its values', async (t) => {
  const rows = cross(['a', 'b'], [1, 2], ['x', 'y']);
  const picked = coverValues(rows, [([letter, number]) => `${letter} ${number}`, ([, , last]) => last]);
  t.equal(picked.length, 4);
  t.same(new Set(picked.map(([, , last]) => last)), new Set(['x', 'y']));
});

t.test('rows need not be a product', async (t) => {
  t.same(coverValues([], [first]), []);
  t.same(coverValues([['a'], ['a'], ['b']] as const, [first]), [['a'], ['b']]);
  t.same(coverValues([['a'], ['b']] as const, []), [], 'no column, no row');
});

t.test('with --rest the other rows run, so that both runs together have each of them once', async (t) => {
  const rows = cross(['a', 'b', 'c'], [1, 2]);
  const few = coverValues(rows, [first, ([, number]) => number]);
  const others = leaveOut(rows, few);
  t.equal(few.length, 3);
  t.equal(others.length, 3);
  t.same(new Set([...few, ...others]), new Set(rows));
  t.same(leaveOut(['2', '1'], ['2']), ['1']);
  t.same(leaveOut(['x', 'x', 'y'], ['x']), ['x', 'y']);
});

t.test('what a file does besides in a longer run is seen in its text', async (t) => {
  const texts = {
    'no form': 'const full = 1;',
    rows: 'pickRows(cross(a, b), [])',
    first: "pickFirst(['2', '1'])",
    where: 'pickWhere(steps, isFirst)',
    full: 'pickForm({ short: 1, full: 2 })',
    long: 'pickForm({ short: 1, long: 2 })',
    property: 'holds(t, property)',
    whole: "onlyInFull('it installs a package');",
    soak: "onlyInLong('it waits'); pickForm({ short: 1, full: 2 })",
  };
  const those = (has: (text: string) => boolean) =>
    Object.entries(texts).flatMap(([name, text]) => (has(text) ? [name] : []));
  t.same(those(hasFullForm), ['rows', 'first', 'where', 'full', 'whole']);
  t.same(those(hasLongForm), ['long', 'property', 'soak']);
  t.same(those(isFullOnly), ['whole', 'soak']);
  t.same(those(isLongOnly), ['soak']);
});
