/** The site of the documentation, from its sources: each page is in the sidebar, and all that pages link to is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLink } from '../../src/dev/site/links.js';
import { stageSite } from '../../src/dev/site/stage.js';
import { breakName } from '../../src/dev/site/tables.js';
import { sitePages, sitePlaceOf } from '../../src/dev/site/tree.js';
import { readSource, readTree, repository } from '../support/source-tree.js';
import { t } from '../support/tap.js';

t.test('each page is in the sidebar once', async (t) => {
  const roots = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'THREATS.md', 'bench/README.md'];
  const written = [...roots, ...readTree(['docs', 'examples', 'clients'], '.md').map(({ path }) => path)];
  t.same(sitePages.map(({ source }) => source).sort(), written.sort());
  const places = sitePages.map(({ source }) => sitePlaceOf(source));
  t.equal(new Set(places).size, places.length, 'each has a place of its own');
  for (const { source } of sitePages) t.match(readSource(source).text, /^# \S/, `${source} begins with its title`);
});

t.test('each page of docs/ says at its top for whom it is', async (t) => {
  for (const { path, text } of readTree(['docs'], '.md'))
    t.match(text, /^# .+\n\n(?:<!--.*?-->\n\n)?For [\s\S]{20,}?[.:]/, path);
});

t.test('no page has a drawing in a language that the site would show as text', async (t) => {
  for (const { source } of sitePages) t.notMatch(readSource(source).text, /^```mermaid/m, source);
});

t.test('names in code break between their words', async (t) => {
  t.equal(breakName('<code v-pre>AUTH_SITE_URL</code>'), '<code v-pre>AUTH_<wbr>SITE_<wbr>URL</code>');
  t.equal(breakName('<code>/token?grant_type=pkce</code>'), '<code>/token?<wbr>grant_<wbr>type=<wbr>pkce</code>');
  t.equal(breakName('<code>a &lt;b/c&gt; _x</code>'), '<code>a &lt;b/<wbr>c&gt; _x</code>');
  t.equal(breakName('<code>/users/{id}/codes</code>'), '<code>/users/<wbr>{id}/<wbr>codes</code>');
  t.equal(breakName('<code>auth.users 1.25</code>'), '<code>auth.<wbr>users 1.25</code>');
});

t.test('all pages, pictures and files come to their places', async (t) => {
  const staged = t.testdir();
  stageSite({ repository, staged, output: join(staged, 'site'), base: '/docs/' });
  const there = (path: string) => existsSync(join(staged, path));
  for (const { source } of sitePages) t.ok(there(sitePlaceOf(source)), source);
  for (const path of ['concepts.svg', 'pictures/console-users-there.png', 'results/main.svg']) t.ok(there(path), path);
  t.ok(there('public/files/compose.yaml'));
  const first = readFileSync(join(staged, 'index.md'), 'utf8');
  const links = [...first.matchAll(/"link":"\/([^"]*)"/g)].map(([, link]) => link!);
  t.equal(links.length, 6);
  for (const link of links) t.ok(there(`${link}.md`), link);
});

t.test('links between files become links between pages', async (t) => {
  t.same(readLink('keys.md', '../docs/mfa.md#recovery'), { kind: 'page', href: './mfa.md#recovery' });
  t.same(readLink('keys.md', '../THREATS.md'), { kind: 'page', href: './threats.md' });
  t.same(readLink('examples/mcp-server.md', '../../docs/keys.md'), { kind: 'page', href: './../keys.md' });
  t.same(readLink('contributing.md', 'examples'), { kind: 'file', path: 'examples' });
  t.same(readLink('contributing.md', 'bench/'), { kind: 'page', href: './bench.md' });
  t.same(readLink('threats.md', 'docs/requirements.md'), { kind: 'page', href: './requirements.md' });
  t.same(readLink('keys.md', '../compose.yaml'), { kind: 'file', path: 'compose.yaml' });
  for (const href of ['https://example.com/', 'mailto:a@example.com', '#mail', '/x'])
    t.same(readLink('keys.md', href), { kind: 'other' });
});
