import { isFullOnly } from '../support/long-form.js';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const page = readSource('docs/requirements.md').text;
const titles = [...page.matchAll(/^\| ((?:SEC|REL)-\d\d) \| (.*) \|$/gm)].map(
  ([, id, title]) => [id!, title!] as const,
);
const tests = readTree(['test/security', 'test/reliability'], '.test.ts');
const inNpmTest = tests.filter(({ text }) => !isFullOnly(text));

/** `sec-05-duplicate-headers.test.ts` → SEC-05; undefined for a file that is named after none. */
const idOf = (path: string): string | undefined =>
  /\/((?:sec|rel)-\d\d)-[a-z0-9-]+(?:\.[a-z]+)*\.ts$/.exec(path)?.[1]?.toUpperCase();

/** Titles may be on the next line, in any kind of quotes. */
const hasTitle = (text: string, id: string): boolean =>
  [...text.matchAll(/\.test\(\s*(['"`])(.*?)\1/gs)].some(([, , title]) => title!.includes(id));

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);

t.test('the page has every requirement once, in order', async (t) => {
  t.same(
    titles.map(([id]) => id),
    [...numbered('SEC', 98), ...numbered('REL', 33)],
  );
  for (const [id, title] of titles) t.match(title, /^[A-Z`_a-z].*\.$/, id);
});

t.test('every requirement has a test in `npm test` that is named after it', async (t) => {
  for (const [id, title] of titles) {
    const files = inNpmTest.filter(({ path }) => idOf(path) === id);
    t.ok(
      files.some(({ text }) => hasTitle(text, id)),
      `${id}: ${title}`,
    );
  }
});

t.test('every test that is named after a requirement has its id in a title, and the requirement exists', async (t) => {
  const known = new Set(titles.map(([id]) => id));
  for (const { path, text } of tests) {
    const id = idOf(path);
    // A scenario that is more than one requirement has a name of its own.
    if (id === undefined) t.notMatch(path, /\/(?:sec|rel)-?\d/, `${path} is named after an id`);
    else t.ok(known.has(id) && hasTitle(text, id), `${path} tests ${id}`);
    t.equal(
      path.startsWith('test/security/'),
      id === undefined ? path.includes('security') : id.startsWith('SEC'),
      path,
    );
  }
  for (const { path, text } of readTree(['test', 'src', 'bench', 'sql', 'docs'])) {
    for (const [id] of text.matchAll(/\b(?:SEC|REL)-\d+/g)) if (!known.has(id)) t.fail(`${path} names ${id}`);
  }
});

t.test('the search finds titles, and nothing else', async (t) => {
  t.ok(hasTitle("t.test('SEC-01: x', async () => {})", 'SEC-01'));
  t.ok(hasTitle('await t.test(\n  `REL-02 twice`,\n  async () => {})', 'REL-02'));
  t.notOk(hasTitle("// SEC-01\nt.test('x', async () => t.ok(1, 'SEC-01'))", 'SEC-01'));
  t.equal(idOf('test/reliability/rel-01-x.alone.test.ts'), 'REL-01');
  t.equal(idOf('test/reliability/pgbouncer.test.ts'), undefined);
});
