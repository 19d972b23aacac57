/**
 * What `npm run screenshots` also runs: pictures of every page of the console in each of its states, in
 * .screenshots/console/, with an index.html; and those of docs/console.md, when SCREENSHOTS=docs. Like those of the hosted
 * pages, it is a test file without a test's name. SCREENSHOTS=users takes only states whose name has that text.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html } from '../../../src/html.js';
import { findChromium } from '../mailbox-page.js';
import { missingProgram, skipHere } from '../not-here.js';
import { repository } from '../source-tree.js';
import { t } from '../tap.js';
import { consoleStates } from './catalogue.js';
import { type ConsoleState, nameOfConsoleState } from './console-state.js';
import { openStatePages } from './state-pages.js';

interface Shot {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

const shots: readonly Shot[] = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
];

/** In docs/console.md and its parts, each as it is there. */
const IN_DOCS: Readonly<Record<string, readonly Shot[]>> = {
  'users.there': [shots[0]!],
  'users-user_id.there': [shots[1]!, shots[2]!],
  'requests-request_id.there': [shots[0]!],
  'redirects.refused': [shots[0]!],
  'import.tried': [shots[0]!],
  'sign-in-rules.changed': [shots[0]!],
  'providers-provider.turned-on': [shots[0]!],
  'traces-trace_id.dry-run': [shots[0]!],
  'traces-trace_id.company-failed': [shots[0]!],
  'companies-sso_provider_id.draft-of-a-mapping': [shots[0]!],
};
const DOCS_HEIGHT = 560;
const isForDocs = process.env['SCREENSHOTS'] === 'docs';

const directory = join(repository, isForDocs ? 'docs/pictures' : '.screenshots/console');
const fileOf = (name: string, { theme, width }: Shot): string =>
  isForDocs
    ? `console-${name.replace(/[._]/g, '-')}${theme === 'dark' ? '-dark' : ''}${width < 1000 ? '-narrow' : ''}.png`
    : `${name}.${theme}.${width}.png`;

const chromium = findChromium();
if (chromium === null) skipHere(t, missingProgram('Chromium', 'chromium-headless-shell'));
else await takeAll(chromium);

async function takeAll(executablePath: string): Promise<void> {
  const pages = await openStatePages(t, executablePath);
  const part = process.env['SCREENSHOTS'] ?? '';
  const isWanted = (name: string) => (isForDocs ? name in IN_DOCS : name.includes(part));
  const wanted = consoleStates.filter((state) => isWanted(nameOfConsoleState(state)));
  mkdirSync(directory, { recursive: true });
  for (const state of wanted) {
    await t.test(nameOfConsoleState(state), async (t) => {
      const opened = await state.reach(pages, { height: isForDocs ? DOCS_HEIGHT : 800 });
      await opened.page.locator(state.shows).first().waitFor();
      t.ok(await opened.page.title());
      await takeLooks(opened.page, state);
    });
  }
  if (!isForDocs) writeFileSync(join(directory, 'index.html'), renderIndex(wanted.map(nameOfConsoleState)));
}

type Opened = Awaited<ReturnType<ConsoleState['reach']>>;

async function takeLooks(page: Opened['page'], state: ConsoleState): Promise<void> {
  for (const shot of isForDocs ? IN_DOCS[nameOfConsoleState(state)]! : shots) {
    await page.emulateMedia({ colorScheme: shot.theme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: shot.width, height: isForDocs ? DOCS_HEIGHT : 800 });
    const path = join(directory, fileOf(nameOfConsoleState(state), shot));
    // The skeleton comes after 150 ms, so that quick answers do not flicker.
    await page.waitForTimeout(300);
    await page.screenshot({ path, fullPage: !isForDocs });
  }
}

function renderIndex(names: readonly string[]): string {
  const rows = names.map(
    (name) => html`<h2 id="${name}">${name}</h2>
<div>${shots.map((shot) => html`<a href="${fileOf(name, shot)}"><img src="${fileOf(name, shot)}" alt="${name}, ${shot.theme}, ${shot.width} pixels" loading="lazy"></a>`)}</div>`,
  );
  return html`<!doctype html>
<meta charset="utf-8">
<title>Console</title>
<style>body { font-family: sans-serif } div { display: flex; gap: 1rem; overflow-x: auto } img { height: 22rem; border: 1px solid #999 }</style>
<h1>Console</h1>
${rows}
`.text;
}
