/** AUTH_OAUTH_SERVER_PAGE_CSS: a style sheet of the operator changes how pages look, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/server/config/load.js';
import { openPages } from '../../src/server/pages/assets.js';
import { findChromium, openBrowser } from '../support/mailbox-page.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { PageBrowser } from '../support/page-browser.js';
import { openTestServer, testEnvironment } from '../support/server.js';
import { startStubServer } from '../support/stub-server.js';
import { type Test, t } from '../support/tap.js';

const writeSheet = (t: Test, css: string | Uint8Array): string => {
  const path = join(t.testdir({}), 'own.css');
  writeFileSync(path, css);
  return path;
};

const openWith = (path: string) =>
  openPages(
    loadConfig({
      environment: testEnvironment('postgres://127.0.0.1/x', { PAGES_ENABLED: 'true', OAUTH_SERVER_PAGE_CSS: path }),
    }).config,
  )!;

t.test('a style sheet that cannot be read, or loads something, keeps the server from starting', async (t) => {
  t.throws(() => openWith('/nowhere/own.css'), /AUTH_OAUTH_SERVER_PAGE_CSS cannot be read: ENOENT/);
  for (const [css, problem] of [
    ['@import "https://cdn.example.com/x.css";', /loads @import "https:/],
    ['a{} /* x */ @IMPORT url(data:text/css,a{});', /loads @IMPORT/],
    ['body{background:url( https://cdn.example.com/x.png )}', /loads https:\/\/cdn\.example\.com\/x\.png, which/],
    ["@font-face{font-family:x;src:URL('x.woff2')}", /loads x\.woff2, which/],
    ['@font-face{font-family:x;src:url("data:font/woff2;base64,AAAA")}', /loads data:font/],
    ['body{background:url(data:image/gif,x),url(/y.gif)}', /loads \/y\.gif/],
    [`a{}/*${'x'.repeat(65_536)}*/`, /is larger than 65536 bytes/],
    [Uint8Array.of(0xff, 0xfe), /is not UTF-8/],
  ] as const) {
    t.throws(() => openWith(writeSheet(t, css)), problem, String(css).slice(0, 60));
  }
  const fine = '/* url(x) @import */ body{background:url("data:image/gif;base64,R0lGODlh")} a{filter:url(#f)}';
  t.doesNotThrow(() => openWith(writeSheet(t, fine)));
});

t.test('all pages load it last; its name changes with it; the policy does not', async (t) => {
  const css = 'body{--accent:#123456}';
  const [plain, own] = [
    await openTestServer(t, { PAGES_ENABLED: 'true' }),
    await openTestServer(t, { PAGES_ENABLED: 'true', OAUTH_SERVER_PAGE_CSS: writeSheet(t, css) }),
  ];
  const policyOf = (browser: PageBrowser) => browser.headers.get('content-security-policy');
  for (const path of ['/ui/sign-in', '/ui/sign-up', '/ui/recover', '/ui/error', '/ui/signed-out']) {
    const [without, page] = [await new PageBrowser(plain.url).open(path), await new PageBrowser(own.url).open(path)];
    t.notMatch(without.html, 'assets/own-');
    const sheets = [...page.html.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, href]) => href!);
    t.equal(sheets.length, 3, path);
    t.match(sheets.at(-1), /assets\/own-[0-9a-f]{10}\.css$/);
    t.equal(policyOf(page), policyOf(without));
    t.match(policyOf(page), "style-src 'self'; img-src 'self' data:; font-src 'self'");
  }
  const name = openWith(writeSheet(t, css)).ownStyle!;
  t.not(openWith(writeSheet(t, `${css}\n`)).ownStyle, name);
  const response = await fetch(`${own.url}/ui/assets/${name}`, { headers: { 'accept-encoding': 'br' } });
  t.equal(response.headers.get('content-type'), 'text/css; charset=utf-8');
  t.equal(response.headers.get('content-encoding'), 'br');
  t.match(response.headers.get('cache-control'), 'immutable');
  t.equal(await response.text(), css);
});

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else {
  t.test('a browser takes its rules, and loads nothing for it, however it is written', async (t) => {
    const elsewhere = await startStubServer(t);
    // Escapes (CSS Syntax 3, 4.3.7) hide these from a reader, not from a browser; the last block is not closed.
    const css = `@\\69mport "${elsewhere.url}/import.css";
body { background-image: u\\72l("${elsewhere.url}/picture.png") }
@font-face { font-family: x; src: u\\72l("${elsewhere.url}/font.woff2") }
h1 { font-family: x; color: rgb(1, 2, 3); background: image-set("${elsewhere.url}/set.png" 1x) }
@media all { main { outline: 3px solid rgb(4, 5, 6)`;
    const server = await openTestServer(t, { PAGES_ENABLED: 'true', OAUTH_SERVER_PAGE_CSS: writeSheet(t, css) });
    const page = await (await (await openBrowser(t, chromium)).newContext()).newPage();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(`${server.url}/ui/sign-in`, { waitUntil: 'networkidle' });
    const styleOf = (selector: string, property: string) =>
      page.locator(selector).evaluate((element, name) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser, whose types are not here.
        return (globalThis as any).getComputedStyle(element)[name] as string;
      }, property);
    t.equal(await styleOf('h1', 'color'), 'rgb(1, 2, 3)');
    t.equal(await styleOf('main', 'outlineColor'), 'rgb(4, 5, 6)');
    t.equal(await styleOf('body', 'display'), 'flex', 'the other sheets are whole');
    t.same(elsewhere.requests, []);
    for (const file of ['import.css', 'picture.png', 'font.woff2', 'set.png']) {
      t.ok(
        refused.some((text) => text.includes(file) && /Content Security Policy/.test(text)),
        `${file} was refused`,
      );
    }
  });
}
