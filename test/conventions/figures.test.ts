/** Figures of settings in prose are generated from the settings table, so that code and documentation agree. */

import { renderErrorPages } from '../../src/dev/docs/errors-page.js';
import { figures, insertFigures, withoutFigures } from '../../src/dev/docs/figures.js';
import { figurePages } from '../../src/dev/docs/pages.js';
import { allSettings, mainNameOf } from '../../src/server/config/settings.js';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

/** Written whole by npm run docs, or about a moment that is past. */
const elsewhere = ['docs/settings.md', 'docs/licences.md', 'CHANGELOG.md', ...renderErrorPages().keys()];
const pages = [
  ...readTree(['docs'], '.md'),
  ...['README.md', 'THREATS.md', 'SECURITY.md', 'CONTRIBUTING.md'].map(readSource),
]
  .filter(({ path }) => !elsewhere.includes(path))
  .map(({ path, text }) => ({ path, text: text.replace(/<!-- settings:[\s\S]*?<!-- \/settings -->/, '') }));

/** Other figures in sentences that name a setting, with their meaning. */
const others: Readonly<Record<string, string>> = {
  'IPv6 by its /64': 'a length of prefixes',
  'at most 10 s, `AUTH_INTERNAL_HTTP_TIMEOUT`': 'a bound of our own beside those two',
  'and 1 MB per response': 'likewise',
};

/** Sentences and cells, each on one line. */
const sentencesOf = (text: string): string[] =>
  text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\n(?=[^\n|#*\d-])/g, ' ')
    .split(/\n|(?<=[.;]) /);

t.test('figures in prose are those of the table of settings: npm run docs', async (t) => {
  let count = 0;
  for (const path of figurePages) {
    const { text } = readSource(path);
    t.equal(text, insertFigures(text), path);
    count += [...text.matchAll(/<!-- [A-Z0-9_]+ -->/g)].length;
  }
  t.ok(count > 15, `${count} figures`);
  for (const { path, text } of pages) {
    if (/<!-- [A-Z0-9_]+ -->/.test(text)) t.ok(figurePages.includes(path), `npm run docs writes to ${path}`);
  }
});

t.test('no sentence that names a setting has a figure of its own', async (t) => {
  t.ok(figures.size > 35, `${figures.size} settings have a figure`);
  for (const { path, text } of pages) {
    for (const sentence of sentencesOf(withoutFigures(text))) {
      const named = [...sentence.matchAll(/\bAUTH_[A-Z0-9_]+\b/g)].filter(([name]) => figures.has(name));
      if (named.length === 0) continue;
      const rest = Object.keys(others).reduce((left, other) => left.replace(other, ''), sentence);
      // Code spans and HTTP statuses are no figures.
      const figuresLeft = rest.replace(/`[^`]*`|\b[2-5]\d\d\b(?! (?:s|ms|min|h)\b)/g, '');
      t.notMatch(figuresLeft, /(?<![\w.])\d/, `${path}: ${sentence.trim()}`);
    }
  }
});

t.test('the bounds that docs/database.md gives to Postgres are those of the server', async (t) => {
  const text = readSource('docs/database.md').text;
  const setting = allSettings.find(({ setting }) => mainNameOf(setting) === 'AUTH_DB_STATEMENT_TIMEOUT')!.setting;
  const seconds = Number.parseFloat(setting.default ?? '');
  const said = Object.fromEntries(
    [...text.matchAll(/set (\w+_timeout) = '(\d+)s';/g)].map(([, name, value]) => [name, Number(value)]),
  );
  const parameters = /\? (\{ statement_timeout: .*? \})/.exec(readSource('src/db/connection.ts').text)?.[1];
  t.equal(
    parameters,
    '{ statement_timeout: limit, lock_timeout: limit, idle_in_transaction_session_timeout: 2 * limit }',
  );
  t.same(said, { statement_timeout: seconds, lock_timeout: seconds, idle_in_transaction_session_timeout: 2 * seconds });
});

t.test('a figure is written as prose has it', async (t) => {
  for (const [name, figure] of [
    ['AUTH_JWT_EXP', '1 h'],
    ['AUTH_DB_STATEMENT_TIMEOUT', '3 s'],
    ['AUTH_DB_ACQUIRE_TIMEOUT', '1.8 s'],
    ['AUTH_EXTERNAL_FLOW_STATE_EXPIRY_DURATION', '5 min'],
    ['AUTH_PASSWORD_ARGON2_MEMORY_KIB', '19 MiB'],
    ['AUTH_RATE_LIMIT_EMAIL_SENT', '30'],
    ['AUTH_CRYPTO_THREADS', 'the cores, less one when the database is on the same machine'],
  ] as const) {
    t.equal(figures.get(name), figure);
    t.equal(insertFigures(`a <!-- ${name} -->x<!-- / --> b`), `a <!-- ${name} -->${figure}<!-- / --> b`);
  }
  t.throws(() => insertFigures('<!-- AUTH_NOTHING -->1<!-- / -->'), /AUTH_NOTHING is no setting/);
  t.throws(() => insertFigures('<!-- AUTH_SITE_URL -->1<!-- / -->'), /AUTH_SITE_URL is no setting/);
});
