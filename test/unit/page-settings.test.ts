import { findTextFaults } from '../../src/dev/web/text-faults.js';
import { loadConfig } from '../../src/server/config/load.js';
import { contrastOf, findColorFault, palette } from '../../src/server/config/palette.js';
import { openPages } from '../../src/server/pages/assets.js';
import { renderBrand } from '../../src/server/pages/brand.js';
import { readLanguageList } from '../../src/server/pages/texts.js';
import { makePng } from '../support/images.js';
import { testEnvironment } from '../support/server.js';
import { readSource, readTree } from '../support/source-tree.js';
import { t } from '../support/tap.js';

const load = (settings: Record<string, string>) =>
  loadConfig({
    environment: testEnvironment('postgres://127.0.0.1/x', { PAGES_ENABLED: 'true', ...settings }),
  }).config;

t.test('colours: the defaults have enough contrast, and others must', async (t) => {
  t.equal(findColorFault({}, 'light'), null);
  t.equal(findColorFault({}, 'dark'), null);
  t.equal(contrastOf('#000000', '#ffffff'), 21);
  t.equal(contrastOf('#777777', '#ffffff').toFixed(2), '4.48');
  t.match(findColorFault({ muted: '#777777' }, 'light'), /contrast of 4\.\d\d between muted and background/);
  t.match(findColorFault({ border: '#dddddd' }, 'light'), /border and surface, which needs 3/);
  t.match(findColorFault({ accent: 'red' }, 'light'), /such as #1d56e0/);
  t.match(findColorFault({ shadow: '#000000' }, 'light'), /may name only/);
  for (const [settings, problem] of [
    [{ PAGES_COLORS: 'accent:#8fb0ff' }, /AUTH_PAGES_COLORS leaves a contrast/],
    [{ PAGES_COLORS_DARK: 'text:#333333' }, /AUTH_PAGES_COLORS_DARK leaves a contrast/],
    [{ PAGES_LINKS: 'imprint:https://x.example' }, /AUTH_PAGES_LINKS may name only/],
    [{ PAGES_LINKS: 'help:javascript:alert(1)' }, /AUTH_PAGES_LINKS must have links/],
    [{ PAGES_TEXTS: '{"en":' }, /AUTH_PAGES_TEXTS must be a JSON object/],
    [{ PAGES_LOGO_FILE: '/x.gif' }, /AUTH_PAGES_LOGO_FILE must end with/],
    [{ OAUTH_SERVER_PAGE_CSS: '/x.txt' }, /AUTH_OAUTH_SERVER_PAGE_CSS must end with \.css/],
    [{ PAGES_FONT: 'x;}body{display:none' }, /AUTH_PAGES_FONT must be names of fonts/],
    [{ SECURITY_CAPTCHA_ENABLED: 'true', SECURITY_CAPTCHA_SECRET: 'x' }, /AUTH_PAGES_CAPTCHA_SITE_KEY is missing/],
  ] as const) {
    t.throws(() => load(settings), problem, JSON.stringify(settings));
    t.doesNotThrow(() => load({ ...settings, PAGES_ENABLED: 'false', PAGES_FONT: '' }), 'while the pages are on');
  }
});

t.test('the style sheet of the settings', async (t) => {
  const config = load({ PAGES_COLORS: 'accent:#0b6b3a', PAGES_RADIUS: '2', PAGES_FONT: "'Inter', sans-serif" });
  const css = renderBrand(config);
  t.match(css, /--accent:#0b6b3a;.*--radius:2px;--font:'Inter', sans-serif\}@media \(prefers-color-scheme:dark\)/);
  t.match(css, `--accent:${palette.accent[1]}`);
});

t.test('a logo of the settings is a file with a hash in its name, and the one of a path comes first', async (t) => {
  const logo = (bytes: Buffer) => `data:image/svg+xml;base64,${bytes.toString('base64')}`;
  const [red, blue] = [makePng(2, 1, [255, 0, 0]), makePng(2, 1, [0, 0, 255])];
  const pages = openPages(load({ PAGES_LOGO: logo(red) }))!;
  t.match(pages.logo, /^logo-[0-9a-f]{10}\.png$/);
  t.match(pages.assets.get(pages.logo!), { type: 'image/png', bytes: red });
  t.not(openPages(load({ PAGES_LOGO: logo(blue) }))!.logo, pages.logo);
  const file = `${t.testdir({ 'logo.svg': '<svg/>' })}/logo.svg`;
  t.match(openPages(load({ PAGES_LOGO: logo(red), PAGES_LOGO_FILE: file }))!.logo, /^logo-[0-9a-f]{10}\.svg$/);
  t.throws(() => load({ PAGES_LOGO: logo(Buffer.from('<html>')) }), /AUTH_PAGES_LOGO must be a PNG/);
});

t.test('texts: every language has every key; own ones replace them', async (t) => {
  const files = readTree(['src/web/texts'], '.json').map(
    ({ path, text }) => [path.split('/').at(-1)!, JSON.parse(text)] as const,
  );
  t.same(files.map(([name]) => name).sort(), ['ar.json', 'de.json', 'en.json', 'es.json', 'fr.json', 'pt.json']);
  t.same(findTextFaults(Object.fromEntries(files)), []);
  t.same(findTextFaults({ 'en.json': { a: '{x}', b: 'b' }, 'de.json': { a: 'y', c: 'c' } }), [
    'de.json has no b',
    'de.json has c, which en.json has not',
    'de.json has other placeholders in a',
  ]);
  const english = JSON.parse(readSource('src/web/texts/en.json').text);
  const sources = readTree(['src/server/pages'], '.ts')
    .map(({ text }) => text)
    .join();
  // A page may put a key together from a kind: `factors.add_${kind}`.
  const isUsed = (key: string) =>
    sources.includes(`'${key}'`) || sources.includes(`\`${key.replace(/[a-z]+$/, '')}\${`);
  t.same(
    Object.keys(english).filter((key) => !isUsed(key)),
    [],
    'a page has each of them',
  );
  const pages = openPages(load({ PAGES_TEXTS: '{"en":{"sign_in.title":"Welcome back"}}' }))!;
  const { words } = pages.chooseLanguage(['en']);
  t.equal(words('sign_in.title'), 'Welcome back');
  t.equal(words('code.title'), english['code.title']);
  t.equal(words('hop.text', { host: '<b>' }), 'You are being taken to <b>.', 'the page escapes it');
  t.throws(
    () => openPages(load({ PAGES_TEXTS: '{"en":{"nothing":"x"}}' })),
    /AUTH_PAGES_TEXTS must name texts of the pages: no page has the text "nothing"/,
  );
  t.throws(() => openPages(load({ PAGES_TEXTS: '{"xx":{}}' })), /no texts in "xx"/);
});

t.test('languages, as browsers and applications ask for them', async (t) => {
  t.same(readLanguageList('de-AT, en;q=0.5,fr;q=0.9, xx;q=0, *'), ['de-at', 'fr', 'en']);
  t.same(readLanguageList('pt-BR en'), ['pt-br', 'en']);
  t.same(readLanguageList('<script>'), []);
  const { chooseLanguage } = openPages(load({}))!;
  t.match(chooseLanguage(['', 'ar-EG']), { tag: 'ar', direction: 'rtl' });
  t.equal(chooseLanguage(['pt-BR', 'de']).tag, 'pt');
  t.equal(chooseLanguage(['nl', '']).tag, 'en');
});
