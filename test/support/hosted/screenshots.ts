/**
 * What `npm run screenshots` runs: pictures of every hosted page in each of its states, in .screenshots/, with an
 * index.html. It is a test file without a test's name, so that servers, databases and browser are those of the tests.
 * SCREENSHOTS=consent takes only states whose name has that text, SCREENSHOT_LANGUAGES=de,ar only these languages.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html } from '../../../src/html.js';
import { findChromium, openBrowser } from '../mailbox-page.js';
import { missingProgram, skipHere } from '../not-here.js';
import { repository } from '../source-tree.js';
import { t } from '../tap.js';
import { pageStates } from './catalogue.js';
import { nameOfState } from './page-state.js';
import { keepInside, Visitor } from './visitor.js';
import { openWorlds } from './worlds.js';

interface Shot {
  readonly language: string;
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

const HEIGHT = 740;
const everyShot: readonly Shot[] = [
  { language: 'en', theme: 'light', width: 1280 },
  { language: 'en', theme: 'dark', width: 1280 },
  { language: 'en', theme: 'light', width: 360 },
  { language: 'en', theme: 'dark', width: 360 },
  { language: 'de', theme: 'light', width: 360 },
  { language: 'de', theme: 'dark', width: 1280 },
  { language: 'ar', theme: 'light', width: 360 },
  { language: 'ar', theme: 'dark', width: 1280 },
  { language: 'fr', theme: 'light', width: 360 },
  { language: 'es', theme: 'light', width: 360 },
  { language: 'pt', theme: 'light', width: 360 },
];
const languages = process.env['SCREENSHOT_LANGUAGES']?.split(',');
const shots = everyShot.filter(({ language }) => languages === undefined || languages.includes(language));

const directory = join(repository, '.screenshots');
const fileOf = (name: string, { language, theme, width }: Shot): string => `${name}.${language}.${theme}.${width}.png`;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await takeAll(chromium);

async function takeAll(executablePath: string): Promise<void> {
  const browser = await openBrowser(t, executablePath);
  const worldOf = openWorlds(t);
  const part = process.env['SCREENSHOTS'] ?? '';
  const wanted = pageStates.filter((state) => nameOfState(state).includes(part));
  mkdirSync(directory, { recursive: true });
  for (const state of wanted) {
    const name = nameOfState(state);
    await t.test(name, async (t) => {
      for (const language of new Set(shots.map((shot) => shot.language))) {
        const context = await browser.newContext({ locale: language });
        await keepInside(context);
        const page = await context.newPage();
        const visitor = new Visitor(page, await worldOf(state.world));
        await state.reach(visitor);
        t.ok(
          await page
            .locator(state.shows)
            .first()
            .waitFor({ state: 'attached' })
            .then(() => true),
          language,
        );
        for (const shot of shots.filter((one) => one.language === language)) {
          await page.emulateMedia({ colorScheme: shot.theme, reducedMotion: 'reduce' });
          await page.setViewportSize({ width: shot.width, height: HEIGHT });
          await page.screenshot({ path: join(directory, fileOf(name, shot)), fullPage: true });
        }
        await context.close();
      }
    });
  }
  writeFileSync(join(directory, 'index.html'), renderIndex(wanted.map(nameOfState)));
}

function renderIndex(names: readonly string[]): string {
  const rows = names.map(
    (name) => html`<h2 id="${name}">${name}</h2>
<div>${shots.map((shot) => html`<a href="${fileOf(name, shot)}"><img src="${fileOf(name, shot)}" alt="${name}, ${shot.language}, ${shot.theme}, ${shot.width} pixels" loading="lazy"></a>`)}</div>`,
  );
  return html`<!doctype html>
<meta charset="utf-8">
<title>Hosted pages</title>
<style>body { font-family: sans-serif } div { display: flex; gap: 1rem; overflow-x: auto } img { height: 22rem; border: 1px solid #999 }</style>
<h1>Hosted pages</h1>
${rows}
`.text;
}
