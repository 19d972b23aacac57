import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderApiPage } from '../../src/dev/docs/api-page.js';
import { renderErrorPages } from '../../src/dev/docs/errors-page.js';
import { renderProviderSetup } from '../../src/dev/docs/provider-setup-page.js';
import { insertTables } from '../../src/dev/docs/settings-table.js';
import { anchorOf } from '../../src/dev/site/anchors.js';
import { siteSections } from '../../src/dev/site/tree.js';
import { endpoints } from '../../src/server/endpoints/index.js';
import { catalogue } from '../../src/server/errors.js';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'THREATS.md'].map(readSource);
const prose = [...pages, ...readTree(['docs', 'examples', 'clients'], '.md')];

t.test('the committed pages are those that npm run docs writes', async (t) => {
  for (const [path, page] of renderErrorPages()) t.equal(readSource(path).text, page, path);
  t.equal(readSource('docs/api.md').text, renderApiPage());
  t.equal(readSource('docs/provider-setup.md').text, renderProviderSetup());
  const settings = readSource('docs/run/settings.md').text;
  t.equal(settings, insertTables(settings));
  t.throws(() => insertTables('# A page that lost its markers'), /has no/);
});

t.test('docs/api.md has a row for each endpoint', async (t) => {
  const { text } = readSource('docs/api.md');
  for (const { method, path, summary } of endpoints) {
    t.ok(text.includes(`| \`${method} ${path}\` | ${summary} |`), `${method} ${path}`);
  }
});

t.test('the README fits on two screens, and leads to each part of the documentation', async (t) => {
  const { text } = readSource('README.md');
  t.ok(text.split('\n').length <= 90, `${text.split('\n').length} lines`);
  for (const { text: part, groups } of siteSections)
    t.ok(
      groups.some(({ pages }) => pages.some(({ source }) => text.includes(`](${source})`))),
      part,
    );
  for (const page of ['start', 'why', 'api', 'settings', 'operations']) t.match(text, `](docs/${page}.md)`);
});

t.test('every API error is on a page of docs/errors, with its status and what to do', async (t) => {
  const pages = readTree(['docs/errors'], '.md');
  for (const { path } of pages) t.ok(renderErrorPages().has(path), `npm run docs writes ${path}`);
  const rows = pages.flatMap(({ text }) => text.split('\n'));
  for (const [name, [status, code, message]] of Object.entries(catalogue)) {
    const [plain = ''] = message.split('<');
    const row = rows.find((line) => line.startsWith(`| \`${code}\` | ${status} | ${plain}`));
    t.match(row, / \| [^|]{8,} \|$/, name);
  }
});

t.test('what is said of compatibility names only endpoints there are', async (t) => {
  const parts = [readSource('docs/compatibility.md'), ...readTree(['docs/compatibility'], '.md')];
  const text = parts.map((part) => part.text).join('\n');
  const names = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  for (const [, name] of text.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`? ]*)[^`]*`/g))
    t.ok(names.has(name!), name ?? '');
});

/** Headings of a page. */
const headingsOf = (text: string) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);

t.test('links lead somewhere', async (t) => {
  for (const { path, text } of prose) {
    for (const [, target, anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const page = target === '' ? path : join(dirname(path), target!);
      t.ok(existsSync(join(repository, page)), `${path} links to ${target}`);
      const isThere =
        anchor === undefined || headingsOf(readSource(page).text).some((heading) => anchorOf(heading) === anchor);
      t.ok(isThere, `${path} links to ${target}#${anchor}`);
    }
  }
});

t.test('pages and headings that comments cite exist', async (t) => {
  const pages = readTree(['docs', 'bench'], '.md');
  // Of a long page that was cut, the parts are in a folder of its name.
  const partsOf = (page: string) =>
    pages.filter(({ path }) => path === page || path.startsWith(page.replace('.md', '/')));
  const headings = new Map(pages.map(({ path }) => [path, partsOf(path).flatMap(({ text }) => headingsOf(text))]));
  const dead: string[] = [];
  for (const { path, text } of readTree(['src', 'test', 'bench', 'sql', 'clients'])) {
    if (path.endsWith('.md')) continue;
    const joined = text.replaceAll(/\n *(?:\*|\/\/|--) */g, ' ');
    // Not URLs, and not names of files in quotes.
    for (const [cited, page, rest] of joined.matchAll(
      /(?<![\w:/.-])((?:[\w-]+\/)*[\w-]+\.md)(?!['"`\w]|:\d)(?:, (?=([A-Z].{0,60})))?/g,
    )) {
      const isThere = headings.get(page!)?.some((heading) => rest === undefined || rest.startsWith(heading));
      if (!(isThere ?? (rest === undefined && existsSync(repository + page))))
        dead.push(`${path}: ${cited}${rest ?? ''}`);
    }
  }
  t.same(dead, []);
});

t.test('settings that the prose names exist', async (t) => {
  const settings = readSource('docs/settings.md').text;
  for (const { path, text } of prose) {
    for (const [name] of text.matchAll(/\bAUTH_[A-Z0-9_]+[A-Z0-9]\b/g)) {
      // AUTH_X_FILE names a file with the secret AUTH_X.
      const isThere = [name, name.replace(/_FILE$/, '')].some((known) => settings.includes(`\`${known}\``));
      t.ok(isThere, `${path} names ${name}`);
    }
  }
});

t.test('commands that the prose names exist', async (t) => {
  const commands = Object.keys((await import('../../src/server/commands/index.js')).commands);
  for (const { path, text } of prose) {
    for (const [, command] of text.matchAll(/(?:\/latchkey\.cjs|`latchkey|^latchkey) ([a-z]+)/gm)) {
      t.ok(commands.includes(command!), `${path} names latchkey ${command}`);
    }
  }
});
